/** Recognizes absolute paths by the rules of POSIX and of Windows. */

const absolute = { posix: /^\//, windows: /^(?:[A-Za-z]:[\\/]|[\\/]{2})/ } as const

/**
 * Whether a path is absolute on a platform; without one, on either, for values that are checked before their platform is
 * known. On Windows `\x` and `C:x` are not absolute: they depend on the current drive, or on its current directory.
 */
export const isAbsolutePath = (path: string, platform?: "posix" | "windows"): boolean =>
  platform === undefined ? absolute.posix.test(path) || absolute.windows.test(path) : absolute[platform].test(path)
