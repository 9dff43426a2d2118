/** Declares the options of a server that serves spells, and refuses invalid ones. */
import { OptionError } from "../base/OptionError.ts"
import * as ApprovalPolicy from "../spell/ApprovalPolicy.ts"
import { check, type Spellbook } from "../spell/makeSpellbook.ts"
import type { McpToolOptions } from "./McpToolOptions.ts"

/**
 * Spells that a server serves instead of the tools that run commands.
 *
 * @stability experimental
 */
export interface McpSpells<out R> {
  /** The spells. Their services come from the layer or the context of the server. */
  readonly spells: Spellbook<R>
  /**
   * The policy that decides which calls are cast, asked about and denied. Asks the `Approver` of the context, or else
   * the client by elicitation; a client that cannot ask its user denies. A call that was allowed for the session is not
   * asked about again. Default: all are cast.
   */
  readonly approval?: ApprovalPolicy.ApprovalPolicy | undefined
}

/**
 * Options of a server that serves no spells.
 *
 * @stability experimental
 */
export interface McpWithoutSpells {
  /** No spells. */
  readonly spells?: undefined
  /** Only with spells. */
  readonly approval?: undefined
}

export const spellOptionNames: Readonly<Record<keyof McpSpells<never>, true>> = { spells: true, approval: true }

/** Options of the tools that run commands that do not apply to spells. */
const withoutUse = ["defaultTimeout", "maxOutputBytes", "resultFormat", "terminals"] as const

/**
 * Checks the options of a server that serves spells.
 *
 * @throws {OptionError} for a spell whose parameters MCP cannot express, an invalid approval policy, and an option that has no
 * use; for an approval policy without spells
 */
export const checkSpellOptions = (
  where: string,
  { approval, spells, ...options }: McpToolOptions & (McpSpells<unknown> | McpWithoutSpells),
): void => {
  if (spells === undefined) {
    if (approval === undefined) return
    throw new OptionError(
      "approval",
      `${where}: approval needs spells; for commands use policy`,
    )
  }
  check(spells, "mcp")
  if (approval !== undefined) ApprovalPolicy.make(approval)
  const unused = withoutUse.find((name) => options[name] !== undefined)
  if (unused !== undefined) {
    throw new OptionError(
      unused,
      `${where}: ${unused} applies to the tools that run commands, not to spells: remove it`,
    )
  }
}
