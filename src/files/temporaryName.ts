/**
 * Names the temporary files that writes are staged in, beside the file that they will replace, and recognizes them.
 *
 * @module
 */

/** A name that no other write has. A file of this name that is old is left over from a process that was killed. */
export const temporaryName = (): string => `.sluice-${crypto.randomUUID()}.tmp`

/** Whether a name is one of {@link temporaryName}. */
export const isTemporaryName = (name: string): boolean => /^\.sluice-[0-9a-f-]{36}\.tmp$/.test(name)
