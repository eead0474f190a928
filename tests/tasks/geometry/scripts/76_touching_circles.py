import matplotlib.pyplot as plt, math
fig,ax=plt.subplots(figsize=(6,4))
R,r=3,2
d=math.sqrt((R+r)**2-(R-r)**2)
ax.add_patch(plt.Circle((0,R),R,fill=False)); ax.add_patch(plt.Circle((d,r),r,fill=False))
ax.plot([-4,d+3],[0,0],'k')
ax.plot(0,R,'k.');ax.plot(d,r,'k.')
ax.text(-.2,R+.1,'M',ha='right');ax.text(d+.15,r+.1,'N')
ax.text(0,-.2,'A',ha='center',va='top');ax.text(d,-.2,'B',ha='center',va='top')
T=(d*R/(R+r),R+(r-R)*R/(R+r)); ax.text(T[0],T[1]+.35,'T',ha='center')
ax.set_xlim(-5,9);ax.set_ylim(-1.5,7);ax.set_aspect('equal');ax.axis('off');plt.savefig('question.png')
