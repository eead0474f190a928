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
