// What comes into view is unpacked and changes heights, also above the goal of a jump. So a jump is repeated until the
// goal stays where it belongs, or until the reader scrolls.
let landing = 0;

function stopLanding() { landing += 1; }

function land(find, { frames = 30, most = 600 } = {}) {
  const mine = ++landing;
  return new Promise((done) => {
    let still = 0;
    let left = most;
    const step = () => {
      const goal = find();
      if (mine !== landing || !goal || left-- <= 0) return done();
      const margin = parseFloat(getComputedStyle(goal).scrollMarginTop) || 0;
      const off = Math.round(goal.getBoundingClientRect().top - margin);
      const end = Math.abs(document.documentElement.scrollHeight - innerHeight - scrollY) < 2;
      if (Math.abs(off) <= 1 || (off > 0 && end)) still += 1;
      else {
        still = 0;
        scrollBy({ top: off, behavior: "instant" });
      }
      if (still >= frames && loading.size === 0) return done();
      requestAnimationFrame(step);
    };
    step();
  });
}

for (const kind of ["wheel", "touchmove", "pointerdown"]) addEventListener(kind, stopLanding, { passive: true });
