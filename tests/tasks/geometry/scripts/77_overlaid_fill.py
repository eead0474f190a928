import matplotlib.pyplot as plt
from matplotlib.patches import Polygon
fig, ax = plt.subplots()
A,B,C,D=(0,0),(6,0),(6,4),(0,4); E=(3,4)
ax.add_patch(Polygon([A,B,E],closed=True,facecolor='lightblue',alpha=.5))
ax.add_patch(Polygon([A,B,C,D],closed=True,fill=False))
ax.plot([A[0],E[0],B[0]],[A[1],E[1],B[1]],'k')
for p,n in ((A,'A'),(B,'B'),(C,'C'),(D,'D'),(E,'E')):
    ax.text(p[0],p[1]+(.15 if p[1] else -.15),n,ha='center',va='bottom' if p[1] else 'top',fontsize=13)
ax.text(3,-.6,'6 cm',ha='center');ax.text(6.2,2,'4 cm')
ax.autoscale_view();ax.set_aspect('equal');ax.axis('off');ax.margins(.2);plt.savefig('question.png')
