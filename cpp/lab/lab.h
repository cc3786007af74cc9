// The core through C, for the page `lab/` (compiled to WebAssembly) and for the tests (native).
//
// Arrays belong to the caller. Rows of features are dense, one after the other. A kernel is four
// numbers: its place in svm::KernelKind, gamma, coef0, degree. A function returns 0 when all is
// well; otherwise lab_message() says what is not. In WebAssembly there are no exceptions: there
// the call does not return, and the instance is of no more use than its message.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LAB_API __attribute__((visibility("default")))

LAB_API void* lab_alloc(int32_t bytes);
LAB_API void lab_free(void* memory);
LAB_API const char* lab_message(void);

// ---- The kernel engine (dual/dual.h) --------------------------------------------------------

enum {
  LAB_STATUS,
  LAB_PRIMAL,
  LAB_DUAL,
  LAB_GAP,
  LAB_VIOLATION,
  LAB_BOUND,
  LAB_CONVEX,
  LAB_MULTIPLIER,  // of the first group; the second's follows
  LAB_SUPPORT = 9,
  LAB_STEPS,
  LAB_NEWTON_STEPS,
  LAB_SECONDS,
  LAB_TRACE_ROWS,
  LAB_NUMBERS = 16,
  LAB_TRACE_COLUMNS = 7,  // seconds, steps, primal, dual, gap, violation, support
};

// A dual problem of `variables` = n or 2n variables. group, ridge and start may be null; total has
// two entries where there are groups, else one. max_steps < 0: no limit. Fills beta and gradient
// (of `variables` each), numbers (LAB_NUMBERS) and up to max_trace rows of the trace, the last
// among them.
LAB_API int lab_solve(const double* x, int32_t n, int32_t d, const double* kernel,
                      int32_t variables, const double* target, const double* lower,
                      const double* upper, double epsilon, const uint8_t* group,
                      const double* total, const double* ridge, double tol, double max_steps,
                      const double* start, double* beta, double* gradient, double* numbers,
                      double* trace, int32_t max_trace);

// The certificate of a feasible beta, into the numbers of that name.
LAB_API int lab_certify(const double* x, int32_t n, int32_t d, const double* kernel,
                        int32_t variables, const double* target, const double* lower,
                        const double* upper, double epsilon, const uint8_t* group,
                        const double* total, const double* ridge, const double* beta,
                        double* numbers);

// out[p] = sum_i coef[i] k(x_i, points_p) + intercept
LAB_API int lab_decision(const double* x, const double* coef, int32_t n, int32_t d,
                         const double* kernel, double intercept, const double* points,
                         int32_t count, double* out);

// The same on a lattice of the plane (d = 2): out[r * columns + c] at the c-th of `columns` values
// from x0 to x1 and the r-th of `rows` values from y0 to y1.
LAB_API int lab_grid(const double* x, const double* coef, int32_t n, const double* kernel,
                     double intercept, double x0, double x1, int32_t columns, double y0, double y1,
                     int32_t rows, float* out);

// out[i * n + j] = k(x_i, x_j)
LAB_API int lab_gram(const double* x, int32_t n, int32_t d, const double* kernel, double* out);

#ifdef __cplusplus
}
#endif
