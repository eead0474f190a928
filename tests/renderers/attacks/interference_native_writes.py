# Overwrites the interpreter's own memory.
import ctypes

import matplotlib.font_manager as fm

for font in fm.fontManager.ttflist[:5]:
    font.name = "gone"
zero = id(0)
ctypes.memset(zero + 24, 0x41, 4)
ctypes.memset(id("savefig") + 48, 0x41, 3)
