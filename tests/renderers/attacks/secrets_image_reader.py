# Draws a file's bytes into the picture.
import matplotlib.font_manager as fm
import matplotlib.pyplot as plt
from PIL import Image

attempt("imread", lambda: plt.imread("/tmp/cf_canary/picture.png"))
attempt("Image.open", lambda: Image.open("/tmp/cf_canary/picture.png").load())
attempt("font", lambda: fm.get_font("/tmp/cf_canary/font.ttf"))
