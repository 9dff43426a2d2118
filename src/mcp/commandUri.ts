/**
 * Formats and parses the resource URIs of commands.
 *
 * @module
 */
import type { OutputStream } from "../command/ShellEvent.ts"

/** The URI that lists the commands. */
export const commandsUri = "sluice://commands"

/** The URI of a command, or of one of its outputs. */
export const commandUri = (id: string, stream?: OutputStream): string =>
  `${commandsUri}/${encodeURIComponent(id)}${stream === undefined ? "" : `/${stream}`}`

/** Reads a URI of a command, or of one of its outputs; `undefined` when it is neither. */
export const parseCommandUri = (
  uri: string,
): { readonly id: string; readonly output: string | undefined } | undefined => {
  const [, id, output] = /^sluice:\/\/commands\/([^/]+)(?:\/(stdout|stderr))?$/.exec(uri) ?? []
  try {
    return id === undefined ? undefined : { id: decodeURIComponent(id), output }
  } catch {
    // A percent sign that begins no escape.
    return undefined
  }
}
