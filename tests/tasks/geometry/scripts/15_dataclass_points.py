from dataclasses import dataclass
import matplotlib.pyplot as plt


@dataclass(frozen=True)
class Pt:
    x: float
    y: float

    def __add__(self, o):
        return Pt(self.x + o.x, self.y + o.y)

    def scale(self, k):
        return Pt(self.x * k, self.y * k)


def midpoint(p: Pt, q: Pt) -> Pt:
    return (p + q).scale(0.5)


A, B, C = Pt(0, 0), Pt(8, 1), Pt(3, 6)
M, N, L = midpoint(B, C), midpoint(C, A), midpoint(A, B)
fig, ax = plt.subplots(figsize=(5, 5))


def seg(p, q):
    ax.plot((p.x, q.x), (p.y, q.y), "k-", lw=1.5)


for p, q in [(A, B), (B, C), (C, A), (A, M), (B, N), (C, L)]:
    seg(p, q)
G = (A + B + C).scale(1 / 3)
for name, p, off in [("A", A, (-14, -10)), ("B", B, (6, -6)), ("C", C, (-4, 8)), ("M", M, (6, 4)), ("N", N, (-18, 2)), ("L", L, (-2, -18)), ("G", G, (10, 2))]:
    ax.annotate(name, (p.x, p.y), xytext=off, textcoords="offset points", fontsize=13)
ax.set_aspect("equal")
ax.set_axis_off()
plt.savefig("question.png")
