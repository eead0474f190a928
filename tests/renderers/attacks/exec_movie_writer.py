# Makes matplotlib start ffmpeg and ImageMagick.
import matplotlib.animation as animation
import matplotlib.pyplot as plt

figure = plt.figure()
movie = animation.FuncAnimation(figure, lambda i: [], frames=2)
for writer in ("ffmpeg", "imagemagick"):
    attempt(writer, lambda: movie.save("a.mp4", writer=writer) or "saved")
