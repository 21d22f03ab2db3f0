package jsonspan

// EachItem calls f for each element of the array, or member of the object, at s in an accepted text, until f returns false. It looks at no
// byte twice and checks nothing, so it is faster than a Cursor; of a text that is cut off the last item is cut off, too.
func EachItem(src []byte, s Span, f func(Item) bool) {
	isObject := src[s.Start] == '{'
	for i := passGap(src, s.Start+1, s.End); i < s.End && src[i] != '}' && src[i] != ']'; i = passGap(src, i, s.End) {
		var item Item
		if isObject {
			end := min(stringEnd(src, i), s.End)
			item.Name = Text{Span{i, end}, hasEscape(src[i:end])}
			i = passGap(src, end, s.End)
		}
		if i == s.End {
			return // cut off behind a name
		}
		item.Value = Span{i, min(ValueEnd(src, i), s.End)}
		if !f(item) {
			return
		}
		i = item.Value.End
	}
}

// passGap passes white space and what stands between two items, or a name and its value.
func passGap(src []byte, i, end int) int {
	for i < end && (isWhite(src[i]) || src[i] == ',' || src[i] == ':') {
		i++
	}
	return i
}

// ValueEnd returns the offset behind the value that begins at an offset of an accepted text, the end of one that is cut off in it.
func ValueEnd(src []byte, start int) int {
	depth := 0
	for i := start; i < len(src); {
		switch src[i] {
		case '"':
			if i = stringEnd(src, i); depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		default:
			if depth == 0 {
				return scalarEnd(src, i)
			}
		}
		i++
	}
	return len(src)
}
