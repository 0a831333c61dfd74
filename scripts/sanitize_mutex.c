// Tells ThreadSanitizer of Swift's Mutex.
//
// A Mutex that nobody else holds is taken and given back by atomic instructions within our own code, which
// ThreadSanitizer sees. One that is contended goes through the two functions below. They lie in
// libswiftSynchronization.so, which is not instrumented and asks the kernel directly, so that ThreadSanitizer would take
// every contended Mutex for none at all. Loaded before that library (LD_PRELOAD), this file stands in for the two and
// adds what is missing: what was written before the mutex was given back is visible to whoever takes it next.
//
// Better than a list of suppressions, which would hide true races on anything that a Mutex guards.
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

// Missing in processes that are not instrumented, such as 'swift test' itself.
extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

SWIFT_METHOD void lock_slow(uint32_t thread, SELF) __asm__(LOCK_SLOW);
SWIFT_METHOD void unlock_slow(SELF) __asm__(UNLOCK_SLOW);

static void *original(const char *name) {
  void *function = dlsym(RTLD_NEXT, name);
  if (!function) {
    fprintf(stderr, "sanitize: this Swift has no %s; Mutex works otherwise here\n", name);
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
