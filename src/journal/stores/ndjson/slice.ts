/**
 * How long one piece of work may hold the event loop.
 *
 * @module
 */

/** Milliseconds after which long work lets others run. */
export const sliceMillis = 4
