//go:build !linux

package main

import (
	"errors"
	"os"
)

// mapMemory is for Linux; elsewhere files are read like pipes.
func mapMemory(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func giveMemoryBack([]byte) {}

func unmapMemory([]byte) {}
