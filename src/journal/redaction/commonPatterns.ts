/** Regular expressions for well-known keys and tokens, and for passwords in URLs. */
import type { Pattern } from "./PatternRedaction.ts"

/**
 * Keys and tokens with a prefix of their own, JSON web tokens, bearer tokens, and passwords in URLs. Each pattern takes
 * linear time on any text.
 *
 * @stability stable
 */
export const commonPatterns: ReadonlyArray<Pattern> = [
  { pattern: /(?:AKIA|ASIA)[0-9A-Z]{16}/, label: "AWS access key id", contains: ["AKIA", "ASIA"] },
  { pattern: /gh[pousr]_[0-9A-Za-z]{36,}/, label: "GitHub token", contains: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"] },
  { pattern: /github_pat_[0-9A-Za-z_]{22,}/, label: "GitHub token", contains: ["github_pat_"] },
  { pattern: /glpat-[0-9A-Za-z_-]{20,}/, label: "GitLab token", contains: ["glpat-"] },
  { pattern: /xox[abeoprs]-[0-9A-Za-z-]{10,}/, label: "Slack token", contains: ["xox"] },
  { pattern: /npm_[0-9A-Za-z]{36}/, label: "npm token", contains: ["npm_"] },
  { pattern: /AIza[0-9A-Za-z_-]{35}/, label: "Google API key", contains: ["AIza"] },
  { pattern: /\b[rs]k_live_[0-9A-Za-z]{20,}/, label: "Stripe key", contains: ["k_live_"] },
  { pattern: /\bsk-(?:ant|proj|svcacct|admin)-[0-9A-Za-z_-]{20,}/, label: "API key", contains: ["sk-"] },
  { pattern: /\bsk-[0-9A-Za-z]{32,}/, label: "API key", contains: ["sk-"] },
  {
    // No digit of base64 precedes the first part: otherwise each `eyJ` would be tried up to the end.
    pattern: /(?<![0-9A-Za-z_-])eyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}/,
    label: "JWT",
    contains: [".eyJ"],
  },
  {
    pattern: /(?<=\b[Bb]earer )[0-9A-Za-z._~+/-]{16,}=*/,
    label: "bearer token",
    contains: ["earer "],
  },
  {
    pattern: /(?<=:\/\/[^\s/:@]{0,128}:)[^\s/:@]{1,512}(?=@)/,
    label: "password in a URL",
    contains: ["://"],
  },
]
