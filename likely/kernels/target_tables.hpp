// Tables of functions, one for each instruction set and element type, and the choice between them at run
// time. Part of vector sources. Internal to likely.
#pragma once

// Among the functions of a target, after `template <class T> constexpr Table<T> make() { return {...}; }`:
// the tables that it makes.
#define LIKELY_TABLES_OF_TARGET(Table, make)                \
  const Table<float>* make##_f32() {                        \
    static constexpr Table<float> kTable = make<float>();   \
    return &kTable;                                         \
  }                                                         \
  const Table<double>* make##_f64() {                       \
    static constexpr Table<double> kTable = make<double>(); \
    return &kTable;                                         \
  }

// Once, behind all targets: table<T>() is that of the best instruction set that may be used.
#define LIKELY_TABLE_OF_PROCESSOR(Table, make)    \
  HWY_EXPORT(make##_f32);                         \
  HWY_EXPORT(make##_f64);                         \
  template <class T>                              \
  const Table<T>& table() {                       \
    if constexpr (sizeof(T) == 4) {               \
      return *HWY_DYNAMIC_DISPATCH(make##_f32)(); \
    } else {                                      \
      return *HWY_DYNAMIC_DISPATCH(make##_f64)(); \
    }                                             \
  }
