/** Declares the options and the result of `approvalRoutes`, and refuses unknown options. */
import type * as Layer from "effect/Layer"
import type { Hono } from "hono"
import type { TokenAccess } from "../../auth/TokenAccess.ts"
import { refuseUnknownOptions } from "../../base/OptionError.ts"
import type { Journal } from "../../journal/JournalService.ts"
import type { SharedServices } from "../../server/SharedServices.ts"
import type { CorsOptions } from "../../server/makeCors.ts"
import type { OpenQuestions } from "../../spell/OpenQuestions.ts"

/** Options of routes that share the tokens and the journal of `shellRoutes`. */
export interface ApprovalsOnServer {
  /**
   * The routes whose tokens and journal are shared: these routes ask the questions in that journal. Dispose of both.
   */
  readonly server: { readonly sharedServices: SharedServices }
  /** Not allowed: the server's journal is used. */
  readonly journal?: never
  /** Not allowed: the server's tokens are used. */
  readonly token?: never
  /** Not an option here: the routes use the tokens of the server. */
  readonly tokens?: never
  /** Not allowed: the server decides. */
  readonly unauthenticated?: never
}

/** Options of routes with tokens of their own. */
export type ApprovalsAlone = TokenAccess & {
  readonly server?: never
  /** A journal whose questions these routes ask. Default: none; only the questions of `questions` are asked. */
  readonly journal?: Layer.Layer<Journal, unknown> | undefined
}

/** Options of `approvalRoutes`. */
export type ApprovalRoutesOptions = (ApprovalsOnServer | ApprovalsAlone) & {
  /**
   * The questions; pass this to `Approver.layer` so that a program of this process asks through these routes. Default:
   * a new list.
   */
  readonly questions?: OpenQuestions | undefined
  /** Web pages of other origins that may use the routes. Default: none. */
  readonly cors?: CorsOptions | undefined
}

/** A Hono app with the routes. */
export interface ApprovalRoutes extends Hono {
  /** The questions that wait. */
  readonly questions: OpenQuestions
  /**
   * Begins to take questions from the journal. Rejects if the journal cannot be opened. Without this call, the first
   * request does it.
   */
  readonly start: () => Promise<void>
  /** Takes no more questions; the journal's questions are left to other servers, or denied. */
  readonly dispose: () => Promise<void>
  /** `dispose()`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

const optionNames: Readonly<Record<keyof ApprovalRoutesOptions | keyof ApprovalsAlone, true>> = {
  server: true,
  journal: true,
  token: true,
  tokens: true,
  unauthenticated: true,
  questions: true,
  cors: true,
}

export const checkApprovalOptions = (options: ApprovalRoutesOptions): void =>
  refuseUnknownOptions("approvalRoutes", options, optionNames)
