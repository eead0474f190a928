# Runs a program that was never a file.
import ctypes

descriptor = syscall("memfd_create", 319, b"x", 0)
syscall("execveat", 322, descriptor if descriptor is not None else 0, b"", None, None, 0x1000)
syscall("execve", 59, b"/bin/true", None, None)
syscall("uselib", 134, b"/bin/true")
