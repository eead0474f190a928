import matplotlib.pyplot as plt, numpy as np
fig, ax = plt.subplots(figsize=(5,5))
for r in (2, 4): ax.add_patch(plt.Circle((1,1), r, fill=False))
ax.plot(1, 1, 'k+'); ax.text(1.1, 1.1, '$O$')
a = np.radians([30, 150, 270])
for t, n in zip(a, 'ABC'):
    ax.plot(1+4*np.cos(t), 1+4*np.sin(t), 'ko', ms=3); ax.text(1+4.4*np.cos(t), 1+4.4*np.sin(t), f'${n}$', ha='center', va='center')
    ax.plot([1, 1+4*np.cos(t)], [1, 1+4*np.sin(t)], 'k', lw=1)
    ax.text(1+2.45*np.cos(t+.12), 1+2.45*np.sin(t+.12), f'$D_{{{n}}}$' if 0 else {'A':'D','B':'E','C':'F'}[n], ha='center', va='center')
ax.set_xlim(-4,6); ax.set_ylim(-4,6); ax.set_aspect('equal'); ax.axis('off'); plt.savefig('question.png')
