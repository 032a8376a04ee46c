/* background.c -- see background.h. */
#include "background.h"

#include <pthread.h>
#include <stdbool.h>

#include "memory.h"

struct sp_background {
    pthread_t thread;
    bool threaded, stop, busy; /* busy: a job waits or runs */
    pthread_mutex_t lock;
    pthread_cond_t change;
    void (*job)(void *args);
    void *args;
};

static void *work(void *arg)
{
    sp_background *b = arg;
    pthread_mutex_lock(&b->lock);
    for (;;) {
        while (!b->busy && !b->stop)
            pthread_cond_wait(&b->change, &b->lock);
        if (!b->busy)
            break;
        pthread_mutex_unlock(&b->lock);
        b->job(b->args);
        pthread_mutex_lock(&b->lock);
        b->busy = false;
        pthread_cond_broadcast(&b->change);
    }
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

sp_background *sp_background_create(void)
{
    sp_background *b = sp_alloc(1, sizeof *b);
    if (!b)
        return NULL;
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->change, NULL);
    b->threaded = pthread_create(&b->thread, NULL, work, b) == 0;
    return b;
}

void sp_background_destroy(sp_background *b)
{
    if (!b)
        return;
    pthread_mutex_lock(&b->lock);
    b->stop = true;
    pthread_cond_broadcast(&b->change);
    pthread_mutex_unlock(&b->lock);
    if (b->threaded)
        pthread_join(b->thread, NULL);
    pthread_cond_destroy(&b->change);
    pthread_mutex_destroy(&b->lock);
    sp_free(b);
}

void sp_background_wait(sp_background *b)
{
    pthread_mutex_lock(&b->lock);
    while (b->busy)
        pthread_cond_wait(&b->change, &b->lock);
    pthread_mutex_unlock(&b->lock);
}

void sp_background_start(sp_background *b, void (*job)(void *args), void *args)
{
    if (!b->threaded) {
        job(args);
        return;
    }
    sp_background_wait(b);
    pthread_mutex_lock(&b->lock);
    b->job = job;
    b->args = args;
    b->busy = true;
    pthread_cond_broadcast(&b->change);
    pthread_mutex_unlock(&b->lock);
}
