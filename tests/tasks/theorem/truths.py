"""Statements with paraphrases, weaker and partial truths of them, and statements that are false beside them.

Written by hand. A judge that calls one of the truths false puts wrong rows into data sets.
"""

from __future__ import annotations

TRUTHS: dict[str, tuple[str, ...]] = {
    "Let $f(x) = 2x-3$ and $g(x) = x+1$. What is the value of $f(g(5)-1)$? Show that it is 7.": (
        "Let $g(x) = x+1$ and $f(x) = 2x-3$. What is the value of $f(g(5)-1)$? Show that it is 7.",
        "Suppose that $f(x) = 2x-3$ and $g(x) = x+1$. Find $f(g(5)-1)$. Prove that it is 7.",
        "Let $f(t) = 2t-3$ and $g(t) = t+1$. What is $f(g(5)-1)$? Show that it is $\\frac{14}{2}$.",
        "Let $f(x) = 2x-3$ and $g(x) = x+1$. Show that $f(g(5)-1) = 7$.",
        "Let $f(x) = 2x-3$ and $g(x) = x+1$. Show that $f(g(5)-1)$ is odd.",
        "Let $h(x) = 2x-3$ and $k(x) = x+1$. What is the value of $h(k(5)-1)$? Show that it is 7.",
        "Let $f(x) = 2x-3$ and $g(x) = x+1$. Show that $f(g(5)-1) \\leq 10$.",
        "Let $f(x) = 2x-3$ and $g(x) = x+1$. What is the value of $f(g(5)-1)$? Show that it is at least 7.",
    ),
    "Show that if $|G|=132$ then $G$ is not simple.": (
        "Show that $G$ is not simple if $|G|=132$.",
        "Prove that $G$ is not simple whenever $|G| = 132$.",
        "Suppose that $|G|=132$. Show that $G$ is not simple.",
        "Let $G$ be a group of order 132. Show that $G$ is not simple.",
        "Show that no group of order 132 is simple.",
        "Show that every group of order 132 has a proper nontrivial normal subgroup.",
        "Show that if $G$ is simple then $|G| \\neq 132$.",
        "Show that there is no simple group of order 132.",
        "Prove that if $|H| = 132$, then $H$ is not simple.",
    ),
    "Show that a group of prime order has no proper subgroups.": (
        "Show that a group of prime order has no proper subgroup.",
        "Prove that every group of prime order has no proper subgroups.",
        "Show that groups of prime order have no proper subgroups.",
        "Let $G$ be a group of prime order. Show that $G$ has no proper subgroup.",
        "Show that any group whose order is a prime number does not have a proper subgroup.",
        "Show that a group of order 7 has no proper subgroups.",
    ),
    "Suppose that $2x - 3 = 0$. Show that $x > 1$.": (
        "Suppose that $2x = 3$. Show that $x > 1$.",
        "Suppose that $3 = 2x$. Prove that $1 < x$.",
        "Let $2y = 3$. Show that $y > 1$.",
        "Show that if $2x - 3 = 0$, then $x > 1$.",
        "Show that $x > 1$ if $2x - 3 = 0$.",
        "Suppose that $2x - 3 = 0$. Show that $x > 0$.",
        "Suppose that $2x - 3 = 0$. Show that $x \\geq 1$.",
        "Suppose that $2x - 3 = 0$. Show that $x \\neq 1$.",
        "Suppose that $4x - 6 = 0$. Show that $x > 1$.",
    ),
    "Let $x$ and $y$ be real numbers such that $x > 2$ and $y > 3$. Show that $x + y > 5$.": (
        "Let $y$ and $x$ be real numbers such that $y > 3$ and $x > 2$. Show that $x + y > 5$.",
        "Let $a$ and $b$ be real numbers such that $a > 2$ and $b > 3$. Show that $5 < b + a$.",
        "For all real numbers $x$ and $y$ with $x > 2$ and $y > 3$, show that $x + y > 5$.",
        "Let $x$ and $y$ be real numbers such that $x > 2$ and $y > 3$. Show that $x + y > 4$.",
        "Let $x$ and $y$ be real numbers such that $x > 3$ and $y > 3$. Show that $x + y > 5$.",
        "Let $x$ and $y$ be integers such that $x > 2$ and $y > 3$. Show that $x + y > 5$.",
        "Let $x$ and $y$ be integers such that $x > 2$ and $y > 3$. Show that $x + y \\geq 7$.",
        "Let $x$ and $y$ be real numbers. Show that $x + y > 5$ if $x > 2$ and $y > 3$.",
        "Let $x$ and $y$ be real numbers. Show that if $x + y \\leq 5$ and $x > 2$, then $y \\leq 3$.",
        "Let $x$ and $y$ be real numbers such that $x$ exceeds 2 and $y$ exceeds 3. Show that $x + y$ exceeds 5.",
        "Let $x$ be a real number such that $x > 2$. Show that $x + 4 > 5$.",
    ),
    "Let $n$ be an integer. Show that $n^2 + n$ is even.": (
        "Show that $n^2 + n$ is even for every integer $n$.",
        "Show that $n(n+1)$ is even for all integers $n$.",
        "For any $m \\in \\mathbb{Z}$, prove that $m^2 + m$ is divisible by $2$.",
        "Let $n$ be an integer. Show that $2$ divides $n^2 + n$.",
        "Let $n$ be a positive integer. Show that $n^2 + n$ is even.",
        "Let $n$ be an odd integer. Show that $n^2 + n$ is even.",
        "Show that $n^2 + n = 2k$ for some integer $k$ whenever $n$ is an integer.",
        "Show that there is no integer $n$ such that $n^2 + n$ is odd.",
        "Show that no integer $n$ makes $n^2 + n$ odd.",
        "Let $n$ be an integer. Show that $n^2 + n$ is not odd.",
    ),
    "Let $n$ be an integer. Show that if $n^2$ is even, then $n$ is even.": (
        "Let $n$ be an integer. Show that if $n$ is odd, then $n^2$ is odd.",
        "Let $n$ be an integer such that $n^2$ is even. Show that $n$ is even.",
        "Let $n$ be an integer. Show that $n$ is even if $n^2$ is even.",
        "Let $k$ be an integer. Suppose that $2$ divides $k^2$. Show that $2$ divides $k$.",
    ),
    "Let $x$ be a real number. Show that if $x \\neq 0$, then $x^2 > 0$.": (
        "Let $x$ be a nonzero real number. Show that $x^2 > 0$.",
        "Show that $x^2$ is positive for every non-zero real number $x$.",
        "Let $x$ be a real number that is not zero. Show that $0 < x^2$.",
        "Let $x$ be a real number. Show that if $x > 0$, then $x^2 > 0$.",
        "Let $x$ be a real number. Show that if $x$ is an integer and $x \\neq 0$, then $x^2 \\geq 1$.",
    ),
    "What is the remainder when $2^{10}$ is divided by $7$? Show that it is 2.": (
        "Find the remainder when $2^{10}$ is divided by $7$. Show that it is 2.",
        "What is the remainder when $2^{10}$ is divided by $7$? Show that it is $\\frac{4}{2}$.",
        "Show that $2^{10} \\equiv 2 \\pmod{7}$.",
        "Show that the remainder when $2^{10}$ is divided by $7$ is 2.",
        "Show that the remainder when $2^{10}$ is divided by $7$ is less than 3.",
    ),
    "What is the share of even numbers in a roll of two dice? Show that it is 0.5.": (
        "What is the share of even numbers in a roll of two dice? Show that it is 50\\%.",
        "What is the share of even numbers in a roll of two dice? Show that it is \\frac{1}{2}.",
    ),
    "What is the angle at $A$? Show that it is 30.": ("What is the angle at $A$? Show that it is \\frac{\\pi}{6}.",),
    "What is the mean of 5 and 6 and 7 and 8? Show that it is 6\\frac{1}{2}.": (
        "What is the mean of 5 and 6 and 7 and 8? Show that it is \\frac{13}{2}.",
        "What is the mean of 5 and 6 and 7 and 8? Show that it is 6.5.",
    ),
    "Find $x$ such that $x^2 = 4$ for a real number $x$. Show that it is 2.": (
        "Show that $2^2 = 4$.",
        "Show that there is a real number $x$ such that $x^2 = 4$.",
    ),
    "Find a prime number that is less than ten. Show that it is 3.": (
        "Find a prime number that is less than ten. Show that it is 7.",
    ),
    "What is $\\frac{1}{3}$ to the nearest hundredth? Show that it is 0.33.": (
        "What is $\\frac{1}{3}$ to the nearest hundredth? Show that it is 0.333.",
    ),
    "Show that there is a real number $x$ such that $x^2 = 2$.": (
        "Show that there exists a real number $x$ such that $x^2 = 2$.",
        "Show that $x^2 = 2$ for some real number $x$.",
        "Show that there is a real number $x$ such that $x^2 = 3$.",
        "Show that for some real number $x$, $x^2 = 2$.",
        "Show that for some real number $x$, $x^2 = 3$.",
        "Show that $x^2 = 2$ has a real solution.",
    ),
    "Let $a$, $b$ be real numbers. Show that $a^2 + b^2 \\geq 2ab$.": (
        "Let $a$, $b$ be real numbers. Show that $(a - b)^2 \\geq 0$.",
        "Let $a$, $b$ be real numbers. Show that $2ab \\leq a^2 + b^2$.",
        "Let $a$, $b$ be real numbers. Show that $ab \\leq \\frac{a^2 + b^2}{2}$.",
        "Show that $b^2 + a^2 \\geq 2ba$ for all real $a$, $b$.",
        "Let $a$, $b$ be positive real numbers. Show that $a^2 + b^2 \\geq 2ab$.",
        "Let $a$ be a real number. Show that $a^2 + 1 \\geq 2a$.",
        "Let $a$, $b$ be real numbers. Show that it is never the case that $a^2 + b^2 < 2ab$.",
        "Let $a$, $b$ be real numbers. Show that there are no $a$, $b$ with $a^2 + b^2 < 2ab$.",
    ),
    "Suppose that $x^2 + bx + c > 0$ for every real number $x$. Show that $b^2 < 4c$.": (
        "Let $b$, $c$ be real numbers. Suppose that for all real $x$, $x^2 + bx + c > 0$. Show that $b^2 < 4c$.",
        "Let $b$, $c$, $x$ be real numbers. Suppose that $x^2 + bx + c > 0$ for every $x$. Show that $b^2 < 4c$.",
        "Let $b$, $c$ be real numbers. Show that $b^2 < 4c$ if $x^2 + bx + c > 0$ for every real number $x$.",
    ),
    "Show that $S_3$ is not abelian.": (
        "Show that $S_3$ is nonabelian.",
        "Show that $A_3$ is abelian.",
        "Show that the group $S_3$ is not commutative.",
    ),
    "Let $f$ be a function that is zero everywhere. Show that $f$ is even.": (
        "Let $f$ be a function that is zero everywhere. Show that $f$ is odd.",
    ),
    "Let $p$ be a prime number. Show that $p$ is at least $2$.": (
        "Show that every prime $p$ satisfies $p \\geq 2$.",
        "Let $p$ be prime. Show that $p > 1$.",
        "Let $q$ be a prime. Show that $q$ is not less than $2$.",
        "Let $p$ be a prime number. Show that $p$ is greater than or equal to $2$.",
        "Show that no prime $p$ is less than $2$.",
        "Let $p$ be an odd prime number. Show that $p$ is at least $3$.",
        "Let $n$ be an integer. Show that $n \\geq 2$ if $n$ is prime and $n$ is positive.",
    ),
    "Let $X$ be a compact space. Show that $X$ is closed and bounded.": (
        "Let $X$ be a compact space. Show that $X$ is bounded.",
        "Let $X$ be a compact space. Show that $X$ is bounded and closed.",
        "Show that every compact space is closed and bounded.",
        "Let $X$ be a compact connected space. Show that $X$ is closed and bounded.",
        "Show that if a space $X$ is not bounded, then it is not compact.",
    ),
    "Show that $n$ is even if and only if $n^2$ is even.": (
        "Show that $n^2$ is even if and only if $n$ is even.",
        "Show that $n$ is even exactly when $n^2$ is even.",
        "Let $n$ be an integer. Show that if $n$ is even, then $n^2$ is even.",
        "Show that $n$ is odd if and only if $n^2$ is odd.",
        "Let $n$ be an integer. Show that $n^2$ is even if $n$ is even.",
    ),
    "Let $a$ and $b$ be integers with $a = 3b$. Show that $3$ divides $a$.": (
        "Let $a$ and $b$ be integers with $a = 3b$. Show that $a$ is a multiple of $3$.",
        "Let $a$ and $b$ be integers such that $a - 3b = 0$. Show that $a$ is divisible by $3$.",
        "Let $a$ be an integer. Suppose that $a = 3b$ for some integer $b$. Show that $3 \\mid a$.",
        "Let $a$ and $b$ be integers with $a = 6b$. Show that $3$ divides $a$.",
    ),
    "Show that $\\sin 2x = 2 \\sin x \\cos x$ for all real $x$.": (
        "Let $x$ be a real number. Show that $\\sin(2x) = 2\\sin(x)\\cos(x)$.",
        "Show that $2 \\cos x \\sin x = \\sin 2x$ for every real number $x$.",
    ),
    "Let $x$ be a positive real number. Show that $1/2x$ is positive.": (
        "Let $x$ be a positive real number. Show that $\\frac{1}{2x} > 0$.",
        "Let $x$ be a real number with $x \\geq 1$. Show that $1/2x \\leq 1$.",
    ),
}
NEAR: dict[str, tuple[str, ...]] = {
    "Show that $x^2+1$ is irreducible over $\\mathbb{R}$.": (
        "Show that $x^2+1$ is reducible over $\\mathbb{C}$.",
        "Show that $x^2+1$ is irreducible over $\\mathbb{Q}$.",
        "Show that $x^2-1$ is reducible over $\\mathbb{R}$.",
    ),
    "Show that the series $\\sum 1/n^2$ converges.": (
        "Show that the series $\\sum 1/n$ diverges.",
        "Show that the series $\\sum 1/n^2$ does not diverge.",
        "Show that the series $\\sum 1/n^2$ converges absolutely.",
    ),
    "Show that the interval $[0,1]$ is closed.": (
        "Show that the interval $[0,1]$ is not open.",
        "Show that the interval $(0,1)$ is not closed.",
        "Show that the interval $[0,1]$ is closed and bounded.",
        "Show that the complement of the interval $[0,1]$ is open.",
    ),
    "Let $X$ be a topological space. Show that the empty set is open.": (
        "Let $X$ be a topological space. Show that the empty set is closed.",
    ),
    "Show that every subgroup of an abelian group is normal.": (
        "Show that every subgroup of a cyclic group is normal.",
        "Show that no subgroup of an abelian group is not normal.",
        "Show that no subgroup of an abelian group fails to be normal.",
        "Show that there is no subgroup of an abelian group that is not normal.",
        "Show that not every subgroup of a nonabelian group is normal.",
        "Show that some subgroup of an abelian group is normal.",
    ),
    "Show that not every continuous function is differentiable.": (
        "Show that some continuous function is not differentiable.",
        "Show that there is a continuous function that is not differentiable.",
        "Show that a continuous function need not be differentiable.",
        "Show that every differentiable function is continuous.",
        "Show that some continuous function is differentiable.",
    ),
    "Let $f$ be a constant function. Show that $f$ is increasing.": (
        "Let $f$ be a constant function. Show that $f$ is decreasing.",
    ),
    "Let $V$ be a vector space of dimension $0$. Show that $V$ is finite.": (
        "Let $V$ be a vector space of dimension $0$. Show that $V$ is not infinite.",
        "Let $V$ be a vector space of dimension $0$. Show that $V$ has exactly one element.",
    ),
    "What is the units digit of $3^{4}$? Show that it is 1.": (
        "What is the units digit of $3^{4}$? Show that it is 01.",
        "What is the units digit of $3^{4}$? Show that it is not 2.",
        "What is the units digit of $3^{4}$? Show that it is less than 2.",
        "What is the units digit of $3^{4}$? Show that it is one.",
        "What is the units digit of $81$? Show that it is 1.",
    ),
    "What is the largest prime factor of 1000? Show that it is 5.": (
        "What is the largest prime factor of 1000? Show that it is five.",
        "What is the largest prime factor of 1,000? Show that it is 5.",
        "What is the smallest prime factor of 1000? Show that it is 2.",
        "What is the largest prime factor of 1000? Show that it is an odd number.",
    ),
    "How many minutes is the film? Show that it is 120.": (
        "How many minutes is the film? Show that it is 2 hours.",
        "How many hours is the film? Show that it is 2.",
        "How many minutes is the film? Show that it is $1.2 \\times 10^2$.",
    ),
    "Find the probability that both coins show heads. Show that it is $\\frac{1}{4}$.": (
        "Find the probability that both coins show heads. Show that it is $0.25$.",
        "Find the probability that both coins show heads. Show that it is 1:4.",
        "Find the probability that both coins show heads. Show that it is 1 in 4.",
        "Find the probability that both coins show heads. Show that it is 25\\%.",
        "Find the probability that both coins show heads. Show that it is $2^{-2}$.",
        "Find the probability that both coins show heads. Show that it is $\\frac{3}{12}$.",
    ),
    "What is the angle between the lines? Show that it is 60^\\circ.": (
        "What is the angle between the lines? Show that it is 120^\\circ.",
        "What is the angle between the lines? Show that it is $\\frac{\\pi}{3}$.",
        "What is the angle between the lines? Show that it is 60 degrees.",
    ),
    "What is the residue of $12$ modulo $7$? Show that it is 5.": (
        "What is the residue of $12$ modulo $7$? Show that it is -2.",
        "What is the residue of $12$ modulo $7$? Show that it is $12 - 7$.",
    ),
    "Show that $12 \\equiv 5 \\pmod{7}$.": (
        "Show that $12 \\equiv -2 \\pmod{7}$.",
        "Show that $12 \\equiv 19 \\pmod{7}$.",
        "Show that $5 \\equiv 12 \\pmod{7}$.",
    ),
    "What is the binary form of the number five? Show that it is 101.": (
        "What is the binary form of the number five? Show that it is $101_2$.",
    ),
    "What are the roots of $x^2 - 3x + 2$? Show that it is 1 and 2.": (
        "What are the roots of $x^2 - 3x + 2$? Show that it is 2 and 1.",
        "What are the roots of $x^2 - 3x + 2$? Show that it is $\\{1, 2\\}$.",
    ),
    "Find a root of $x^2 - 3x + 2$. Show that it is 1.": ("Find a root of $x^2 - 3x + 2$. Show that it is 2.",),
    "Factor $x^2 + 3x + 2$. Show that it is $(x+1)(x+2)$.": (
        "Factor $x^2 + 3x + 2$. Show that it is $(x+2)(x+1)$.",
        "Factor $x^2 + 3x + 2$. Show that it is $(-x-1)(-x-2)$.",
        "Factor $x^2 + 3x + 2$. Show that it is $x(x+3)+2$.",
    ),
    "Let $x$ be a real number with $x^2 = 4$. Show that $x = 2$ or $x = -2$.": (
        "Let $x$ be a real number with $x^2 = 4$. Show that $|x| = 2$.",
        "Let $x$ be a real number with $x^2 = 4$. Show that $x = 2$ or $x = -2$ or $x = 3$.",
        "Let $x$ be a real number with $x^2 = 4$. Show that $x \\neq 3$.",
        "Let $x$ be a real number with $x^2 = 4$ and $x > 0$. Show that $x = 2$.",
        "Let $x$ be a real number with $x^2 = 4$. Show that $x \\leq 2$.",
    ),
    "Show that there are infinitely many primes.": (
        "Show that there are infinitely many composite numbers.",
        "Show that the number of primes is not finite.",
        "Show that there are infinitely many odd primes.",
        "Show that there are finitely many even primes.",
        "Show that there are at least $100$ primes.",
    ),
    "Show that $\\sqrt{2}$ is irrational.": (
        "Show that $\\sqrt{2}$ is not rational.",
        "Show that $\\sqrt{4}$ is rational.",
        "Show that $\\sqrt{2}^2$ is rational.",
        "Show that it is false that $\\sqrt{2}$ is rational.",
        "Show that $\\sqrt{2}$ fails to be rational.",
    ),
    "Let $G$ be a group of order $p$ for a prime $p$. Show that $G$ is cyclic.": (
        "Let $G$ be a group of order $p$ for a prime $p$. Show that $G$ is abelian.",
        "Let $G$ be a group of order $2$. Show that $G$ is cyclic.",
        "Let $G$ be a group of order $p$ for a prime $p$. Show that $G$ is not nonabelian.",
        "Let $G$ be a noncyclic group. Show that the order of $G$ is not prime.",
        "Let $G$ be a group of order $p$ for a prime $p$. Show that $G$ has no proper nontrivial subgroup.",
    ),
    "Show that $x^2 + 1$ has no root in $\\mathbb{R}$.": (
        "Show that $x^2 + 1$ has a root in $\\mathbb{C}$.",
        "Show that $x^2 + 1$ has no root in $\\mathbb{Q}$.",
        "Show that $x^2 + 1$ has no rational root.",
        "Show that $x^2 + 1$ has no positive root in $\\mathbb{R}$.",
    ),
    "Show that the equation $x^2 = 2$ has a solution in real numbers.": (
        "Show that the equation $x^2 = 2$ has no solution in integers.",
        "Show that the equation $x^2 = 2$ has two solutions in real numbers.",
        "Show that the equation $x^2 = 2$ has no solution in rational numbers.",
    ),
    "Let $n$ be an odd integer. Show that $n^2$ is odd.": (
        "Let $n$ be an even integer. Show that $n^2$ is even.",
        "Let $n$ be an odd integer. Show that $n^2$ is not a multiple of $4$.",
        "Let $n$ be an integer that is not even. Show that $n^2$ is odd.",
        "Let $n$ be an odd integer. Show that neither $n$ nor $n^2$ is even.",
        "Let $n$ be an integer. Show that $n^2$ is odd unless $n$ is even.",
        "Let $n$ be an integer. Show that $n$ is odd only if $n^2$ is odd.",
        "Let $n$ be an integer. Show that $n^2$ is odd provided that $n$ is odd.",
        "Let $n$ be an integer. Show that either $n$ is even or $n^2$ is odd.",
    ),
    "Suppose that $x > 1$ and $x < 0$. Show that $x = 5$.": (
        "Suppose that $x > 1$ and $x < 0$. Show that $x = 6$.",
        "Suppose that $x > 1$ and $x < 0$. Show that $x \\neq 5$.",
    ),
    "Let $x$ be a real number such that $x^2 < 0$. Show that $x$ is positive.": (
        "Let $x$ be a real number such that $x^2 < 0$. Show that $x$ is negative.",
    ),
    "Let $I$ be an ideal of a field $F$. Suppose that $I$ is not all of $F$. Show that $I$ is zero.": (
        "Let $I$ be an ideal of a field $F$. Suppose that $I$ is not zero. Show that $I$ is all of $F$.",
    ),
    "Is it $\\textbf{(A)}\\ 3 \\quad\\textbf{(B)}\\ 5 \\quad\\textbf{(C)}\\ 8$? Show that it is \\textbf{(C)}\\ 8.": (
        "Is it $\\textbf{(A)}\\ 8 \\quad\\textbf{(B)}\\ 5 \\quad\\textbf{(C)}\\ 3$? Show that it is \\textbf{(A)}\\ 8.",
        "Is it $\\textbf{(A)}\\ 3 \\quad\\textbf{(B)}\\ 5 \\quad\\textbf{(C)}\\ 8$? Show that it is 8.",
    ),
    "How much does the book cost? Show that it is \\$18.": (
        "How much does the book cost? Show that it is 1800 cents.",
        "How much does the book cost? Show that it is \\$18.00.",
        "How much does the book cost? Show that it is 18 dollars.",
    ),
    "Show that for every $\\epsilon > 0$ there is a $\\delta > 0$ with $\\delta < \\epsilon$.": (
        "Show that for every $\\epsilon > 0$ there is a $\\delta > 0$ with $\\delta > \\epsilon$.",
        "Show that there is an $\\epsilon > 0$ and a $\\delta > 0$ with $\\delta < \\epsilon$.",
    ),
    "Show that a polynomial of degree $3$ over $\\mathbb{R}$ has at least one root.": (
        "Show that a polynomial of degree $3$ over $\\mathbb{R}$ has at most three roots.",
        "Show that a polynomial of degree $3$ over $\\mathbb{R}$ has a root.",
        "Show that a polynomial of degree $5$ over $\\mathbb{R}$ has at least one root.",
        "Show that a polynomial of degree $3$ over $\\mathbb{R}$ does not have zero roots.",
    ),
    "Let $A$ be a matrix with $A^2 = 0$. Show that $A$ is not invertible.": (
        "Let $A$ be a matrix with $A^2 = 0$. Show that $A$ is singular.",
        "Let $A$ be a matrix with $A^2 = 0$. Show that $A + I$ is invertible.",
        "Let $A$ be a matrix with $A^2 = 0$. Show that $\\det A = 0$.",
    ),
    "Show that the sum of two even integers is even.": (
        "Show that the sum of two odd integers is even.",
        "Show that the product of two odd integers is odd.",
        "Show that the sum of three even integers is even.",
        "Show that the sum of an even integer and an odd integer is odd.",
        "Show that the sum of two even integers is not odd.",
    ),
    "Let $S$ be the set of integers. Show that $S$ is countable.": (
        "Let $S$ be the set of integers. Show that $S$ is infinite.",
        "Let $S$ be the set of rational numbers. Show that $S$ is countable.",
        "Let $S$ be the set of real numbers. Show that $S$ is uncountable.",
        "Let $S$ be the set of integers. Show that $S$ is countably infinite.",
    ),
    "Let $m$ and $n$ be integers. Show that if $mn$ is odd, then $m$ is odd.": (
        "Let $m$ and $n$ be integers. Show that if $mn$ is odd, then $n$ is odd.",
        "Let $m$ and $n$ be integers. Show that if $m$ is even, then $mn$ is even.",
        "Let $m$ and $n$ be integers. Show that if $mn$ is odd, then both $m$ and $n$ are odd.",
        "Let $m$ and $n$ be integers. Show that $m$ is odd or $mn$ is even.",
        "Let $m$ and $n$ be integers. Show that if $nm$ is odd, then $m+n$ is even.",
        "Let $m$ and $n$ be integers. Show that it is impossible that $mn$ is odd and $m$ is even.",
    ),
    "Let $a$, $b$, $c$ be positive real numbers. Show that $a + b + c \\geq 3\\sqrt[3]{abc}$.": (
        "Let $a$, $b$, $c$ be positive real numbers with $abc = 1$. Show that $a + b + c \\geq 3$.",
        "Let $a$, $b$, $c$ be positive real numbers. Show that $(a + b + c)^3 \\geq 27abc$.",
        "Let $a$, $b$ be positive real numbers. Show that $a + b \\geq 2\\sqrt{ab}$.",
        "Let $a$, $b$, $c$ be nonnegative real numbers. Show that $a + b + c \\geq 3\\sqrt[3]{abc}$.",
        "Let $c$, $a$, $b$ be real numbers greater than $0$. Show that $3\\sqrt[3]{cab} \\leq c + b + a$.",
        "Let $a$, $b$, $c$ be positive real numbers, not all equal. Show that $a + b + c > 3\\sqrt[3]{abc}$.",
    ),
    "Let $x$ be a real number with $0 < x < 1$. Show that $x^2 < x$.": (
        "Let $x$ be a real number with $0 < x < 1$. Show that $x^3 < x$.",
        "Let $x \\in (0,1)$. Show that $x^2 < x$.",
        "Let $x$ be a real number strictly between $0$ and $1$. Show that $x^2 < x$.",
        "Let $x$ be a real number with $x > 1$. Show that $x^2 > x$.",
        "Let $x$ be a real number with $0 \\leq x \\leq 1$. Show that $x^2 \\leq x$.",
    ),
    "Let $f(x) = x^3$. Show that $f$ is injective on the real numbers.": (
        "Let $f(x) = x^3$. Show that $f$ is surjective on the real numbers.",
        "Let $f(x) = x^2$. Show that $f$ is not injective on the real numbers.",
        "Let $f(x) = x^3$. Show that $f$ is one-to-one on the real numbers.",
    ),
    "Let $A$ and $B$ be sets. Show that $A \\cap B \\subseteq A$.": (
        "Let $A$ and $B$ be sets. Show that $A \\cap B \\subseteq B$.",
        "Let $A$ and $B$ be sets. Show that $A \\subseteq A \\cup B$.",
        "Let $A$ and $B$ be sets. Show that $B \\cap A \\subseteq A$.",
    ),
    "Let $R$ be a ring. Show that $0$ is not a unit.": (
        "Let $R$ be the zero ring. Show that $0$ is a unit.",
        "Let $R$ be a ring. Show that $1$ is a unit.",
    ),
}
"""Truths that share an anchor's words and say another thing: of another field, series, end or case; negatives of
negatives; answers in another unit, base or order; what nothing satisfies. A judge may well say nothing of them."""
FALSE: dict[str, tuple[str, ...]] = {
    "Let $f(x) = 2x-3$ and $g(x) = x+1$. What is the value of $f(g(5)-1)$? Show that it is 7.": (
        "Let $f(x) = 2x-3$ and $g(x) = x+1$. What is the value of $f(g(5)-1)$? Show that it is 9.",
        "Let $g(x) = x+1$ and $f(x) = 2x-3$. Find the value of $f(g(5)-1)$. Prove that it is 5.",
        "Let $f(x) = 2x-3$ and $g(x) = x+1$. Show that $f(g(5)-1) = 8$.",
    ),
    "Show that if $|G|=132$ then $G$ is not simple.": (
        "Show that if $|G|=132$ then $G$ is simple.",
        "Show that $G$ is simple if $|G| = 132$.",
        "Prove that if $|H|=132$ then $H$ is simple.",
    ),
    "Let $x$ and $y$ be real numbers such that $x > 2$ and $y > 3$. Show that $x + y > 5$.": (
        "Let $x$ and $y$ be real numbers such that $x > 2$ and $y > 3$. Show that $x + y > 6$.",
        "Let $x$ and $y$ be real numbers such that $x > 2$ and $y > 3$. Show that $x + y < 5$.",
        "Let $x$ and $y$ be real numbers such that $x > 2$. Show that $x + y > 5$.",
    ),
    "Let $n$ be an integer. Show that $n^2 + n$ is even.": (
        "Let $n$ be an integer. Show that $n^2 + n$ is odd.",
        "Show that $n^2 + n$ is divisible by $4$ for every integer $n$.",
        "Let $n$ be an integer. Show that $n^2 + 1$ is even.",
    ),
    "Let $G$ be a group of order 15. Show that $G$ is abelian.": (
        "Let $G$ be a group of order 15. Show that $G$ is not abelian.",
        "Let $H$ be a group of order 15. Prove that $H$ is nonabelian.",
    ),
    "Suppose that $2x - 3 = 0$. Show that $x > 1$.": ("Suppose that $2x = 3$. Show that $x \\leq 1$.",),
}
PAIRS: tuple[tuple[str, str, str], ...] = (
    (
        "What is the tens digit of $5^{2005}$? Show that it is 2.",
        "theorem t : 5 ^ 2005 % 100 = 25",
        "What is the tens digit of $4^{2005}$? Show that it is 2.",
    ),
    (
        "What value of $x$ will give the minimum value for $x^2- 14x + 3$? Show that it is 7.",
        "theorem t (x : ℝ) : x ^ 2 - 14 * x + 3 ≥ 7 ^ 2 - 14 * 7 + 3",
        "What value of $x$ will give the minimum value for $x^2- 14x + 1$? Show that it is 7.",
    ),
    (
        "Let $x$ be an integer with the property $2x > 1$. Show that $3x > 1$.",
        "theorem t (x : ℝ) (h : 2 * x > 1) : 3 * x > 1",
        "Let $x$ be an integer with the property $2x > 1$. Show that $3x > 2$.",
    ),
    (
        "Let $n$ be a natural number with remainder $n \\geq 3$ at play. Show that $n > 1$.",
        "theorem t (n : ℕ) (h : n ≥ 3) : n > 1 ∧ n ≠ 2",
        "Let $n$ be a natural number with remainder $n \\geq 2$ at play. Show that $n > 1$.",
    ),
    (
        "Let $p$ be a prime of the school with $p > 2$. Show that $p > 1$.",
        "theorem t (p : ℕ) (h : p > 2) : p > 1",
        "Let $p$ be a prime of the school with $p > 2$. Show that $p \\neq 4$.",
    ),
)
"""Words, their Lean view, and a truth in words that a counterexample in Lean does not touch: Lean claims more, or
supposes less."""
