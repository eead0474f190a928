# Opens and changes files by number.
import ctypes

how = (ctypes.c_uint64 * 3)(0o101, 0o600, 0)
syscall("creat", 85, b"/tmp/cf_canary/pwn_raw", 0o600)
syscall("openat2", 437, -100, b"/tmp/cf_canary/pwn_raw", how, 24)
syscall("name_to_handle_at", 303, -100, BAIT.encode(), ctypes.create_string_buffer(64), ctypes.create_string_buffer(8), 0)
syscall("open_by_handle_at", 304, -100, ctypes.create_string_buffer(64), 0)
syscall("fchmodat2", 452, -100, BAIT.encode(), 0o600, 0)
syscall("linkat", 265, -100, BAIT.encode(), -100, b"hard", 0)
