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

func TestStart(t *testing.T) {
	mine := errors.New("mine")
	if n, err := Start(func() (int, error) { return 7, mine })(); n != 7 || err != mine {
		t.Errorf("7 and an error are %d, %v", n, err)
	}
	var lost *Error
	if _, err := Start(func() (int, error) { panic(&Error{}) })(); !errors.As(err, &lost) {
		t.Errorf("what was taken away is %v", err)
	}
}
