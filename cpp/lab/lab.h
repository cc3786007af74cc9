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

// ---- Plain SMO, for teaching (plain_smo.h) --------------------------------------------------

enum {
  LAB_PAIR_UP,
  LAB_PAIR_DOWN,
  LAB_PAIR_VIOLATION,
  LAB_PAIR_CURVATURE,
  LAB_PAIR_FREE,
  LAB_PAIR_ROOM,
  LAB_PAIR_STEP,
  LAB_PAIR_CLIPPED,  // 0: no, 1: beta_up at its bound, 2: beta_down, 3: both
  LAB_PAIR_GAIN,
  LAB_PAIR_DUAL,
  LAB_PAIR_PRIMAL,
  LAB_PAIR_MULTIPLIER,  // of the first group; the second's follows
  LAB_PAIR_COLUMNS = 13,
};

// At most max_steps pair steps from `start` (null: as lab_solve begins), until the violation is at
// most tol. second_order: how the partner is chosen. Of step k the numbers are in row k of `steps`;
// `states` (or null) has beta, gradient and scores after it, three arrays of `variables` in row k +
// 1, and those of the start in row 0. Row 0 of `steps` is the start's, too: its last five columns.
// *count: steps made. *left: the violation that is left.
LAB_API int lab_pair_steps(const double* x, int32_t n, int32_t d, const double* kernel,
                           int32_t variables, const double* target, const double* lower,
                           const double* upper, double epsilon, const uint8_t* group,
                           const double* total, const double* ridge, int32_t second_order,
                           double tol, int32_t max_steps, const double* start, double* steps,
                           double* states, int32_t* count, double* left);

// ---- Linear machines (linear/solve.h, stream/descent.h) -------------------------------------

// 1/2 |w|^2 + penalty/2 b^2 + sum of the losses of a tube (linear/loss.h), by coordinate descent or
// Newton steps. has_intercept, penalty: 1, 0 for a free intercept. Fills w (d), beta (n) and
// numbers; the intercept is LAB_MULTIPLIER.
LAB_API int lab_linear(const double* x, int32_t n, int32_t d, const double* target,
                       const double* lower, const double* upper, const double* ridge,
                       double epsilon, int32_t has_intercept, double penalty, int32_t newton,
                       double tol, double max_steps, double* w, double* beta, double* numbers);

enum {
  LAB_PLAN_LOSS,  // its place in svm::stream::LossKind
  LAB_PLAN_ALPHA,
  LAB_PLAN_ETA0,  // 0: chosen by svm::stream::choose_rate, with the intercept's rate
  LAB_PLAN_CONVEXITY,
  LAB_PLAN_DECAY,
  LAB_PLAN_POWER,
  LAB_PLAN_ORIGIN,
  LAB_PLAN_RADIUS,
  LAB_PLAN_AVERAGE,
  LAB_PLAN_START,
  LAB_PLAN_FORGET,
  LAB_PLAN_INTERCEPT,  // 0: none, 1: free, 2: penalised
  LAB_PLAN_BATCH,
  LAB_PLAN_NUMBERS,
};

// max_steps stochastic steps of svm::stream::Plan, in passes that are shuffled by seed + 1, seed +
// 2, ... (seed < 0: in the rows' own order), from `begin` (w, then b) or zero. After every
// record_every steps, and at the beginning, a row of d + 4 numbers: seconds, steps, updates, b, w
// (the means, where there are such). *count: rows. A pass ends with a smaller batch.
LAB_API int lab_stochastic(const double* x, int32_t n, int32_t d, const double* y,
                           const double* weight, const double* plan, int32_t seed,
                           int32_t max_steps, int32_t record_every, const double* begin,
                           double* rows, int32_t* count);

// Crammer and Singer's machine (linear/crammer_singer.h), C of each row; fills w (classes x d), b
// and numbers.
LAB_API int lab_crammer_singer(const double* x, int32_t n, int32_t d, const int32_t* label,
                               int32_t classes, const double* C, double tol, double* w, double* b,
                               double* numbers);

#ifdef __cplusplus
}
#endif
