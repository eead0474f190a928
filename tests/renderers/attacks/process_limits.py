# Raises its own limits and lowers others'.
import os
import resource

attempt("NPROC", lambda: resource.setrlimit(resource.RLIMIT_NPROC, (resource.RLIM_INFINITY,) * 2) or "raised")
attempt("AS", lambda: resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2) or "raised")
attempt("prlimit", lambda: resource.prlimit(os.getppid() or 1, resource.RLIMIT_CPU, (1, 1)))
attempt("nice", lambda: os.nice(-5))
attempt("setpriority", lambda: os.setpriority(os.PRIO_PROCESS, os.getppid() or 1, 19) or "set")
attempt("affinity", lambda: os.sched_setaffinity(os.getppid() or 1, {0}) or "set")
