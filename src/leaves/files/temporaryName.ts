/**
 * Names the temporary files that writes are staged in, beside the file that they will replace.
 *
 * @module
 */

/** A name that no other write has. A file of this name that is old is left over from a process that was killed. */
export const temporaryName = (): string => `.sluice-${crypto.randomUUID()}.tmp`
