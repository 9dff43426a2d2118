/** Declares the options for an MCP server's name, version and instructions, and the protocol revisions. */
import * as McpProtocol from "effect/ai/McpProtocol"
import type { McpServer } from "effect/ai/McpServer"
import type * as Layer from "effect/Layer"

/** Name, version and instructions of a server, and registrations of your own. */
export interface McpIdentity {
  /** Default: `"sluice"`. */
  readonly name?: string | undefined
  /** The version of your server. Default: `"0.0.0"`. */
  readonly version?: string | undefined
  /** Instructions for models that use the server. Default: none. */
  readonly instructions?: string | undefined
  /** Tools, resources and prompts of your own. Default: none. */
  readonly registrations?: Layer.Layer<never, never, McpServer> | undefined
}

/** All protocol revisions that Effect's server supports, newest first. */
export const protocols: readonly [
  typeof McpProtocol.v2026_07_28,
  typeof McpProtocol.v2025_11_25,
  typeof McpProtocol.v2025_06_18,
  typeof McpProtocol.v2025_03_26,
  typeof McpProtocol.v2024_11_05,
] = [
  McpProtocol.v2026_07_28,
  McpProtocol.v2025_11_25,
  McpProtocol.v2025_06_18,
  McpProtocol.v2025_03_26,
  McpProtocol.v2024_11_05,
]

/** Converts an identity into the options of Effect's server. */
export const identityOf = ({ instructions, name, version }: McpIdentity): {
  readonly name: string
  readonly version: string
  readonly instructions: string | undefined
} => ({ name: name ?? "sluice", version: version ?? "0.0.0", instructions })

export const identityNames: Readonly<Record<keyof McpIdentity, true>> = {
  name: true,
  version: true,
  instructions: true,
  registrations: true,
}
