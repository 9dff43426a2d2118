/**
 * Name, version and instructions of an MCP server, and the protocol revisions that it speaks.
 *
 * @module
 */
import * as McpProtocol from "effect/ai/McpProtocol"
import type { McpServer } from "effect/ai/McpServer"
import type * as Layer from "effect/Layer"

/** What a server says of itself, and what it has beside Sluice's tools. */
export interface McpIdentity {
  /** Default: `"sluice"`. */
  readonly name?: string | undefined
  /** Default: `"0.0.0"`: the version of the program that serves is for it to say. */
  readonly version?: string | undefined
  /** Told to models that use the server. Default: nothing. */
  readonly instructions?: string | undefined
  /** Tools, resources and prompts of your own. Default: none. */
  readonly registrations?: Layer.Layer<never, never, McpServer> | undefined
}

/** Every revision of the protocol that Effect's server knows, the newest first. */
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

/** The fields of an identity as Effect's server takes them. */
export const identityOf = ({ instructions, name, version }: McpIdentity): {
  readonly name: string
  readonly version: string
  readonly instructions: string | undefined
} => ({ name: name ?? "sluice", version: version ?? "0.0.0", instructions })
