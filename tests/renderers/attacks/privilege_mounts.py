# Mounts, unmounts and changes the root.
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
for name, result in (("mount", libc.mount(b"none", b"/scratch", b"tmpfs", 0, b"")), ("bind", libc.mount(b"/", b"/scratch", None, 4096, None)), ("remount", libc.mount(None, b"/", None, 32, None)), ("umount", libc.umount2(b"/scratch", 2)), ("chroot", libc.chroot(b".")), ("swapon", libc.swapon(b"/x", 0))):
    report(name, result >= 0)
for name, number, arguments in (("pivot_root", 155, (b".", b".")), ("open_tree", 428, (-100, b"/", 1)), ("move_mount", 429, (-100, b"/", -100, b"/", 0)), ("fsopen", 430, (b"tmpfs", 0)), ("mount_setattr", 442, (-100, b"/", 0, None, 0))):
    syscall(name, number, *arguments)
