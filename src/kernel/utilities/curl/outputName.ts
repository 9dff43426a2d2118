/** Names the files of `-O` and `-J`. Source: curl(1). */

/** The last part of a URL's path, after which `-O` names the file. */
export const remoteName = (text: string): string =>
  /^(?:[a-z][a-z\d+.-]*:\/\/)?[^/?#]*\/(?:[^?#]*\/)?([^/?#]*)/i.exec(text)?.[1] ?? ""

/** The name in a `Content-Disposition` header, without folders. */
export const dispositionName = (header: string): string | undefined => {
  const [, quoted, plain] = /filename=(?:"((?:[^"\\]|\\.)*)"?|([^;\s]+))/i.exec(header) ?? []
  const name = (quoted?.replace(/\\(.)/g, "$1") ?? plain)?.replace(/^.*[/\\]/, "")
  return name === undefined || /^\.{0,2}$/.test(name) ? undefined : name
}
