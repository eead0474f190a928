# Makes and enters namespaces.
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
for flag in (0x10000000, 0x20000, 0x40000000, 0x20000000, 0x08000000, 0x04000000, 0x02000000):
    report(f"unshare {flag:#x}", libc.unshare(flag) == 0)
report("setns", libc.setns(0, 0) == 0)
