/** Determines from the environment's locale whether text is UTF-8. */

/**
 * Whether `LC_ALL`, `LC_CTYPE` or `LANG`, the first that is set, names a locale other than `C` and `POSIX`; also if none is
 * set.
 */
export const isUtf8Locale = (env: { readonly get: (name: string) => string | undefined }): boolean => {
  const names = [env.get("LC_ALL"), env.get("LC_CTYPE"), env.get("LANG")]
  const locale = names.find((name) => name !== undefined && name !== "")
  return locale !== "C" && locale !== "POSIX"
}
