import matplotlib.pyplot as plt, numpy as np
from matplotlib.patches import Arc
fig, ax = plt.subplots(figsize=(5,5))
A,B,C,D = map(np.array, [(0,0),(8,0),(3,6),(4.6,0)])
A,B,C=[p.astype(float) for p in (A,B,C)]
ca,cb=np.linalg.norm(C-A),np.linalg.norm(C-B); D=A+(B-A)*ca/(ca+cb)
for p,q in [(A,B),(B,C),(C,A),(C,D)]: ax.plot([p[0],q[0]],[p[1],q[1]],'k')
def deg(v): return np.degrees(np.arctan2(v[1],v[0]))%360
for s,e in [(A,D),(D,B)]:
    for r in (1.6,1.9): ax.add_patch(Arc(C,r,r,theta1=deg(s-C),theta2=deg(e-C)))
for n,p,o in [('A',A,(-.4,-.4)),('B',B,(.15,-.4)),('C',C,(-.1,.2)),('D',D,(-.1,-.55))]: ax.text(*(p+o),n,fontsize=13)
ax.set_xlim(-1,9); ax.set_ylim(-1.5,7.5); ax.set_aspect('equal'); ax.axis('off'); plt.savefig('question.png')
