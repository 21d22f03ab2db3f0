package nearest

import "testing"

func TestName(t *testing.T) {
	names := []string{"stop_conditions", "statements", "id", "budget", "keep", "keep-kind"}
	for misspelt, want := range map[string]string{
		"stop_condtions": "stop_conditions", "statment": "statements", "budgt": "budget", "keepkind": "keep-kind", "bduget": "budget",
		"x": "", "zebra": "", "": "", "keeper-kindly": "", "stop": "",
	} {
		if got := Name(misspelt, names); got != want {
			t.Errorf("%q: %q, want %q", misspelt, got, want)
		}
	}
}
