# Poisons every cache that scripts share by inheritance.
import gc
import functools

import matplotlib.font_manager as fm
import matplotlib.mathtext as mathtext
import matplotlib.text as text

mathtext.MathTextParser._parse_cached = lambda *a, **k: None
text._get_text_metrics_with_cache_impl = lambda *a, **k: (0, 0, 0)
fm.findfont = fm.fontManager.findfont = lambda *a, **k: "/nonexistent"
for item in gc.get_objects():
    if isinstance(item, functools._lru_cache_wrapper):
        item.cache_clear()
