/** Whether the environment asks for UTF-8: it does unless the locale is `C` or `POSIX`. */
export const isUtf8Locale = (env: ReadonlyMap<string, string>): boolean => {
  const names = [env.get("LC_ALL"), env.get("LC_CTYPE"), env.get("LANG")]
  const locale = names.find((name) => name !== undefined && name !== "")
  return locale !== "C" && locale !== "POSIX"
}
