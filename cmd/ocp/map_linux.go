package main

import (
	"os"
	"syscall"
)

// mapMemory maps a file into memory, to be read.
func mapMemory(file *os.File, size int) ([]byte, error) {
	return syscall.Mmap(int(file.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_PRIVATE)
}

// giveMemoryBack lets the system have whole pages of a mapped file; they are read again if they are touched.
func giveMemoryBack(pages []byte) { syscall.Madvise(pages, syscall.MADV_DONTNEED) }

func unmapMemory(b []byte) { syscall.Munmap(b) }
