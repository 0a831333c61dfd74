// Makes Swift's Mutex visible to ThreadSanitizer.
//
// An uncontended Mutex is locked and unlocked by atomic instructions in our own code, which ThreadSanitizer sees. A contended one
// goes through the two functions below. They are in libswiftSynchronization.so, which is not instrumented and calls the kernel
// directly, so ThreadSanitizer would miss every contended Mutex. Loaded before that library (LD_PRELOAD), this file replaces
// both functions and adds what is missing: writes before an unlock are visible to the next thread that locks.
//
// A list of suppressions instead would hide real races on everything that a Mutex guards.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SWIFT_METHOD __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

// _MutexHandle._lockSlow(_: UInt32) and _MutexHandle._unlockSlow()
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Absent in processes that are not instrumented, such as 'swift test' itself.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

SWIFT_METHOD void lock_slow(uint32_t thread, SELF) __asm__(LOCK_SLOW);
SWIFT_METHOD void unlock_slow(SELF) __asm__(UNLOCK_SLOW);

static void *original(const char *name) {
  void *function = dlsym(RTLD_NEXT, name);
  if (!function) {
    fprintf(stderr, "sanitize: this version of Swift has no %s; its Mutex works differently\n", name);
    abort();
  }
  return function;
}

SWIFT_METHOD void lock_slow(uint32_t thread, SELF) {
  SWIFT_METHOD void (*lock)(uint32_t, SELF) = original(LOCK_SLOW);
  lock(thread, self);
  if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT_METHOD void unlock_slow(SELF) {
  SWIFT_METHOD void (*unlock)(SELF) = original(UNLOCK_SLOW);
  if (__tsan_release) __tsan_release(self);
  unlock(self);
}
