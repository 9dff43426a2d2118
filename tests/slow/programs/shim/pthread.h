/* Threads where there is one: what jq keeps for each thread, it keeps once. */
#pragma once

typedef const void *pthread_key_t;
typedef int pthread_once_t;

#define PTHREAD_ONCE_INIT 0

static inline int pthread_once(pthread_once_t *once, void (*start)(void)) {
  if (*once == 0) {
    *once = 1;
    start();
  }
  return 0;
}

static inline int pthread_key_create(pthread_key_t *key, void (*end)(void *)) {
  (void)end;
  *key = 0;
  return 0;
}

static inline const void *pthread_getspecific(pthread_key_t key) { return key; }

#define pthread_setspecific(key, value) ((key) = (value), 0)
