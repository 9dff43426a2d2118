/** Builds the 202 response to a detached command, with the links of the command. */
import type { CommandId } from "../command/CommandId.ts"
import type { CommandAccepted } from "../wire/mod.ts"
import { responseHeaders } from "./headers.ts"
import { JSON_TYPE } from "./negotiate.ts"

/** Builds the response. `path` is the path of `POST /exec`, wherever the route is mounted. */
export const acceptedResponse = (
  path: string,
  id: CommandId,
  headers?: Readonly<Record<string, string>>,
): Response => {
  const command = `${path.slice(0, path.lastIndexOf("/"))}/commands/${encodeURIComponent(id)}`
  const accepted: CommandAccepted = {
    commandId: id,
    links: { command, events: `${command}/events`, input: `${command}/input` },
  }
  return new Response(JSON.stringify(accepted), {
    status: 202,
    headers: { ...responseHeaders, ...headers, "content-type": JSON_TYPE, "location": command },
  })
}
