/** Formats and parses the resource URIs of commands. */
import type { OutputStream } from "../command/ShellEvent.ts"

export const commandsUri = "sluice://commands"

export const commandUri = (id: string, stream?: OutputStream): string =>
  `${commandsUri}/${encodeURIComponent(id)}${stream === undefined ? "" : `/${stream}`}`

/** Parses the URI of a command, or of one of its outputs; `undefined` for other URIs. */
export const parseCommandUri = (
  uri: string,
): { readonly id: string; readonly output: string | undefined } | undefined => {
  const [, id, output] = /^sluice:\/\/commands\/([^/]+)(?:\/(stdout|stderr))?$/.exec(uri) ?? []
  try {
    return id === undefined ? undefined : { id: decodeURIComponent(id), output }
  } catch {
    // A percent sign without an escape.
    return undefined
  }
}
