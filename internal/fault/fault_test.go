package fault

import (
	"errors"
	"testing"
)

func TestCatch(t *testing.T) {
	if err := Catch(func() {}); err != nil {
		t.Errorf("nothing happened: %v", err)
	}
	var lost *Error
	if err := Catch(func() { panic(&Error{}) }); !errors.As(err, &lost) {
		t.Errorf("what another goroutine found is %v", err)
	}
	defer func() {
		if recover() != "a bug" {
			t.Error("another panic was caught")
		}
	}()
	Catch(func() { panic("a bug") })
}
