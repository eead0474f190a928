import matplotlib.pyplot as plt


class Point:
    def __init__(self, name, x, y, dx=0.15, dy=0.15):
        self.name, self.x, self.y, self.dx, self.dy = name, x, y, dx, dy

    def draw(self, ax):
        ax.text(self.x + self.dx, self.y + self.dy, self.name, fontsize=14, fontstyle="italic")


class Segment:
    def __init__(self, p, q):
        self.p, self.q = p, q

    def draw(self, ax):
        ax.plot([self.p.x, self.q.x], [self.p.y, self.q.y], color="#000000", lw=1.3)


class Figure:
    def __init__(self):
        self.items = []

    def add(self, *items):
        self.items.extend(items)

    def save(self, path):
        fig, ax = plt.subplots(figsize=(5, 5))
        for item in self.items:
            item.draw(ax)
        ax.set_aspect("equal")
        ax.axis("off")
        ax.margins(0.12)
        fig.savefig(path)


if __name__ == "__main__":
    a = Point("A", 0, 0, -0.45, -0.3)
    b = Point("B", 6, 0, 0.15, -0.3)
    c = Point("C", 2, 5)
    d = Point("D", 1, 2.5, -0.5, 0.05)
    e = Point("E", 4, 2.5, 0.2, 0.05)
    figure = Figure()
    figure.add(a, b, c, d, e, Segment(a, b), Segment(b, c), Segment(a, c), Segment(d, e))
    figure.save("question.png")
