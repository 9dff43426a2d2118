/**
 * Declares the options of a server that serves spells, and refuses an invalid approval policy.
 *
 * @module
 */
import * as ApprovalPolicy from "../spell/ApprovalPolicy.ts"
import type { Spellbook } from "../spell/Spellbook.ts"

/**
 * Spells that a server serves instead of the tools that run commands.
 *
 * @stability experimental
 */
export interface McpSpells<in out R> {
  /** The spells. Their services come from the layer or the context of the server. */
  readonly spells: Spellbook<R>
  /**
   * Which calls are cast, asked about and denied. The `Approver` of the context is asked, or else the client, by elicitation;
   * one that cannot ask its user denies. What was allowed for the session is not asked about again in it. Default: all are cast.
   */
  readonly approval?: ApprovalPolicy.ApprovalPolicy | undefined
}

/**
 * Options of a server that serves no spells.
 *
 * @stability experimental
 */
export interface McpWithoutSpells {
  readonly spells?: undefined
  readonly approval?: undefined
}

/** The names of the options, to refuse others. */
export const spellOptionNames: Readonly<Record<keyof McpSpells<never>, true>> = { spells: true, approval: true }

/**
 * Checks the options.
 *
 * @throws {OptionError} for an invalid approval policy
 */
export const checkSpellOptions = ({ approval }: Pick<McpSpells<never>, "approval">): void => {
  if (approval !== undefined) ApprovalPolicy.make(approval)
}
