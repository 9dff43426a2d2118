/**
 * The tree of a script, as POSIX's shell command language and bash's extensions make it. Every node has a `_tag` and
 * a `span`; nothing in it is expanded. It keeps what was quoted, so that field splitting and globbing can be done right.
 *
 * What is only known when a script runs is left to whoever runs it: an arithmetic text that holds expansions
 * ({@link ArithmeticText}), braces ({@link Word}, `expandBraces`), what a glob matches.
 *
 * Source: POSIX.1-2024, XCU chapter 2 "Shell Command Language"; bash(1).
 *
 * @module
 */

/**
 * Where a node stands in the script that was parsed: offsets in UTF-16 units, `end` exclusive. What stands within
 * backquotes has its place in the whole script too.
 */
export interface Span {
  readonly start: number
  readonly end: number
}

interface Base {
  readonly span: Span
}

// ---- lists

/** A whole script, or the script of a substitution. */
export interface Script extends Base {
  readonly _tag: "Script"
  readonly statements: ReadonlyArray<AndOr>
}

/** The statements of a compound command: never empty, except in a `case` clause. */
export interface List extends Base {
  readonly _tag: "List"
  readonly statements: ReadonlyArray<AndOr>
}

/** Pipelines with `&&` and `||` between them, which bind equally and from the left. */
export interface AndOr extends Base {
  readonly _tag: "AndOr"
  /** At least one. */
  readonly pipelines: ReadonlyArray<Pipeline>
  /** One less than pipelines: `operators[i]` stands before `pipelines[i + 1]`. */
  readonly operators: ReadonlyArray<"&&" | "||">
  /** It ended with `&`. */
  readonly background: boolean
}

/** Commands with `|` between them. */
export interface Pipeline extends Base {
  readonly _tag: "Pipeline"
  /** An odd number of `!` stood before it. */
  readonly negated: boolean
  /** `time`, or `time -p`. */
  readonly time: "default" | "posix" | undefined
  /** Empty only for `!` and `time` that stand alone. */
  readonly commands: ReadonlyArray<Command>
  /** One less than commands. `|&` also sends the standard error of the command on its left. */
  readonly pipes: ReadonlyArray<"|" | "|&">
}

// ---- commands

/** Anything that may stand in a pipeline. */
export type Command = SimpleCommand | CompoundCommand | FunctionDefinition | Coprocess

/** A command that has a body or a condition of its own; redirections stand after it. */
export type CompoundCommand =
  | Subshell
  | Group
  | If
  | While
  | For
  | ForArithmetic
  | Select
  | Case
  | Conditional
  | ArithmeticCommand

interface Redirectable extends Base {
  /** In the order in which they were written. */
  readonly redirects: ReadonlyArray<Redirect>
}

/** `A=1 name argument >file`: one of its three lists at least is not empty. */
export interface SimpleCommand extends Redirectable {
  readonly _tag: "SimpleCommand"
  readonly assignments: ReadonlyArray<Assignment>
  /** The name first. */
  readonly words: ReadonlyArray<Word>
}

/** `( … )` */
export interface Subshell extends Redirectable {
  readonly _tag: "Subshell"
  readonly body: List
}

/** `{ …; }` */
export interface Group extends Redirectable {
  readonly _tag: "Group"
  readonly body: List
}

/** `if …; then …; elif …; then …; else …; fi` */
export interface If extends Redirectable {
  readonly _tag: "If"
  /** The `if`, and each `elif`. */
  readonly branches: ReadonlyArray<IfBranch>
  readonly otherwise: List | undefined
}

/** One condition of an `if`, and what follows from it. */
export interface IfBranch extends Base {
  readonly _tag: "IfBranch"
  readonly condition: List
  readonly body: List
}

/** `while …; do …; done`, and `until`. */
export interface While extends Redirectable {
  readonly _tag: "While"
  readonly until: boolean
  readonly condition: List
  readonly body: List
}

/** `for name in word …; do …; done` */
export interface For extends Redirectable {
  readonly _tag: "For"
  readonly name: string
  /** `undefined` when there is no `in`: the positional parameters are meant. */
  readonly words: ReadonlyArray<Word> | undefined
  readonly body: List
}

/** `for ((first; while; after)); do …; done`. What is left out is `undefined`; a `while` left out is true. */
export interface ForArithmetic extends Redirectable {
  readonly _tag: "ForArithmetic"
  readonly first: ArithmeticText | undefined
  readonly condition: ArithmeticText | undefined
  readonly after: ArithmeticText | undefined
  readonly body: List
}

/** `select name in word …; do …; done` */
export interface Select extends Redirectable {
  readonly _tag: "Select"
  readonly name: string
  /** `undefined` when there is no `in`: the positional parameters are meant. */
  readonly words: ReadonlyArray<Word> | undefined
  readonly body: List
}

/** `case word in pattern | pattern) …;; esac` */
export interface Case extends Redirectable {
  readonly _tag: "Case"
  readonly word: Word
  readonly clauses: ReadonlyArray<CaseClause>
}

/** One clause of a `case`. */
export interface CaseClause extends Base {
  readonly _tag: "CaseClause"
  readonly patterns: ReadonlyArray<Pattern>
  readonly body: List
  /** `;;` also when the last clause left it out. */
  readonly terminator: ";;" | ";&" | ";;&"
}

/** `name() body`, `function name body`, `function name() body`. Redirections belong to the body. */
export interface FunctionDefinition extends Base {
  readonly _tag: "FunctionDefinition"
  readonly name: string
  readonly body: CompoundCommand
}

/** `coproc name body`, `coproc command`; read only where `ParseOptions.coprocesses` says so. */
export interface Coprocess extends Base {
  readonly _tag: "Coprocess"
  /** `COPROC` when none is given. */
  readonly name: string
  readonly body: SimpleCommand | CompoundCommand
}

/** `[[ … ]]` */
export interface Conditional extends Redirectable {
  readonly _tag: "Conditional"
  readonly expression: Condition
}

/** `(( … ))` */
export interface ArithmeticCommand extends Redirectable {
  readonly _tag: "ArithmeticCommand"
  readonly text: ArithmeticText
}

// ---- assignments

/** `name=value`, `name+=value`, `name[subscript]=value`, `name=(…)`. */
export interface Assignment extends Base {
  readonly _tag: "Assignment"
  readonly name: string
  readonly subscript: Subscript | undefined
  readonly append: boolean
  /** A word is neither split nor globbed. `a=` has a word without parts. */
  readonly value: Word | ArrayLiteral
}

/** `(a b [3]=c)` */
export interface ArrayLiteral extends Base {
  readonly _tag: "ArrayLiteral"
  readonly elements: ReadonlyArray<ArrayElement>
}

/** One word of an array literal: split and globbed unless it has a subscript. */
export interface ArrayElement extends Base {
  readonly _tag: "ArrayElement"
  readonly subscript: Subscript | undefined
  readonly append: boolean
  readonly value: Word
}

/** `[…]` after a name. */
export type Subscript = AllElements | Index

/** `[@]` or `[*]`. */
export interface AllElements extends Base {
  readonly _tag: "AllElements"
  readonly mark: "@" | "*"
}

/** Any other subscript: arithmetic for an indexed array, `word` for an associative one. */
export interface Index extends Base {
  readonly _tag: "Index"
  readonly word: Word
  /** The same text as arithmetic; its parts are those of the word. */
  readonly text: ArithmeticText
}

// ---- redirections

/** A redirection. */
export type Redirect = FileRedirect | HereDocument

/** Which descriptor a redirection is about. */
interface Descriptor extends Base {
  /** The number before the operator; `undefined`: 0 for those with `<` first, 1 for those with `>`, 1 and 2 for `&>`. */
  readonly fd: number | undefined
  /** `name` of `{name}>file`: a free descriptor is taken and its number given to that variable. */
  readonly variable: string | undefined
}

/** The operators of a {@link FileRedirect}. */
export const redirectOperators = ["<", ">", ">>", ">|", "<>", "<&", ">&", "&>", "&>>", "<<<"] as const
/** One of {@link redirectOperators}. */
export type RedirectOperator = (typeof redirectOperators)[number]

/** A redirection with a word: a file, a descriptor (`>&2`, `<&-`, `>&3-`), or a here-string's text. */
export interface FileRedirect extends Descriptor {
  readonly _tag: "FileRedirect"
  readonly operator: RedirectOperator
  readonly target: Word
}

/** `<<word` and `<<-word`. */
export interface HereDocument extends Descriptor {
  readonly _tag: "HereDocument"
  readonly operator: "<<" | "<<-"
  /** Its word with the quotes taken off. */
  readonly delimiter: string
  /** Some of the delimiter was quoted: the body is one literal part, exactly as it stands. */
  readonly quoted: boolean
  /** As within double quotes; `"` is a plain character. The leading tabs that `<<-` ignores are not in it. */
  readonly body: Word
  /** `false`: the script ended before the delimiter came. Shells warn and go on; a reader may ask for more. */
  readonly closed: boolean
}

// ---- words

/** A word: its parts stand next to each other. `''` has one part, and is not a word without parts. */
export interface Word extends Base {
  readonly _tag: "Word"
  readonly parts: ReadonlyArray<WordPart>
  /** It may hold a brace expression: `expandBraces` makes words of it, before anything else is expanded. */
  readonly braces: boolean
  /**
   * Set for what reads as an assignment after `declare`, `export`, `local`, `readonly`, `typeset`, `eval`, `let` and
   * `alias`. The parts are then the same as a plain word: `name=` as it stands, and the value.
   */
  readonly assignment?: Assignment | undefined
}

/** A word whose unquoted `*`, `?`, `[…]` (and `@(…)` and its like) match; expansions outside quotes match too. */
export type Pattern = Word

/** A part of a word. */
export type WordPart =
  | Literal
  | Escaped
  | SingleQuoted
  | DoubleQuoted
  | Parameter
  | BadSubstitution
  | CommandSubstitution
  | ArithmeticExpansion
  | ProcessSubstitution
  | Tilde

/** Text without quotes: glob characters in it are active. Line continuations are not in it. */
export interface Literal extends Base {
  readonly _tag: "Literal"
  readonly value: string
}

/** `\x`: one quoted character. */
export interface Escaped extends Base {
  readonly _tag: "Escaped"
  readonly value: string
}

/** `'…'`, and `$'…'` with its escapes decoded. */
export interface SingleQuoted extends Base {
  readonly _tag: "SingleQuoted"
  readonly value: string
  readonly ansi: boolean
}

/** `"…"`, and `$"…"`. A literal within is quoted. */
export interface DoubleQuoted extends Base {
  readonly _tag: "DoubleQuoted"
  readonly parts: ReadonlyArray<WordPart>
  readonly localized: boolean
}

/** `$name`, `${…}`. */
export interface Parameter extends Base {
  readonly _tag: "Parameter"
  /** A name, a number, or one of `@ * # ? - $ !`. */
  readonly name: string
  readonly subscript: Subscript | undefined
  /** `${!name…}`: the value is the name of the parameter that is meant. */
  readonly indirect: boolean
  readonly operation: ParameterOperation | undefined
}

/**
 * `${…}` that is none of the forms, such as `${x!}` and zsh's `${(f)x}`: an error only when it is expanded. Its parts are
 * what stands in it, for those who look for commands.
 */
export interface BadSubstitution extends Base {
  readonly _tag: "BadSubstitution"
  readonly parts: ReadonlyArray<WordPart>
}

/** What `${…}` does with the parameter. */
export type ParameterOperation =
  | ParameterLength
  | ParameterNames
  | ParameterKeys
  | ParameterFallback
  | ParameterTrim
  | ParameterReplace
  | ParameterSlice
  | ParameterCase
  | ParameterTransform

/** `${#name}` */
export interface ParameterLength extends Base {
  readonly _tag: "ParameterLength"
}

/** `${!prefix*}` and `${!prefix@}`: the names that start with the parameter's name. */
export interface ParameterNames extends Base {
  readonly _tag: "ParameterNames"
  readonly mark: "@" | "*"
}

/** `${!name[@]}`: the keys of an array. */
export interface ParameterKeys extends Base {
  readonly _tag: "ParameterKeys"
  readonly mark: "@" | "*"
}

/** `${name-word}`, `=`, `?` and `+`. */
export interface ParameterFallback extends Base {
  readonly _tag: "ParameterFallback"
  /** Use the word when unset, also assign it, fail with it; or use it when set. */
  readonly operator: "-" | "=" | "?" | "+"
  /** With `:`: an empty value counts as unset. */
  readonly colon: boolean
  readonly word: Word
}

/** `${name#pattern}`, `##`, `%` and `%%`. */
export interface ParameterTrim extends Base {
  readonly _tag: "ParameterTrim"
  readonly side: "prefix" | "suffix"
  readonly longest: boolean
  readonly pattern: Pattern
}

/** `${name/pattern/replacement}`, `//`, `/#` and `/%`. */
export interface ParameterReplace extends Base {
  readonly _tag: "ParameterReplace"
  readonly which: "first" | "all" | "prefix" | "suffix"
  readonly pattern: Pattern
  /** `undefined`: no second slash; what matches is removed. */
  readonly replacement: Word | undefined
}

/** `${name:offset}` and `${name:offset:length}`. */
export interface ParameterSlice extends Base {
  readonly _tag: "ParameterSlice"
  readonly offset: ArithmeticText
  readonly length: ArithmeticText | undefined
}

/** `${name^pattern}`, `^^`, `,`, `,,`, `~` and `~~`. */
export interface ParameterCase extends Base {
  readonly _tag: "ParameterCase"
  readonly to: "upper" | "lower" | "toggle"
  readonly all: boolean
  /** `undefined`: every character. */
  readonly pattern: Pattern | undefined
}

/** The operators of {@link ParameterTransform}. */
export const transformOperators = ["U", "u", "L", "Q", "E", "P", "A", "K", "a", "k"] as const
/** One of {@link transformOperators}. */
export type TransformOperator = (typeof transformOperators)[number]

/** `${name@Q}` and its like. */
export interface ParameterTransform extends Base {
  readonly _tag: "ParameterTransform"
  readonly operator: TransformOperator
}

/** `$(…)` and `` `…` ``. `$(<file)` is a command with nothing but a redirection. */
export interface CommandSubstitution extends Base {
  readonly _tag: "CommandSubstitution"
  readonly backquoted: boolean
  readonly script: Script
}

/** `$((…))`, and the old form `$[…]`. */
export interface ArithmeticExpansion extends Base {
  readonly _tag: "ArithmeticExpansion"
  readonly text: ArithmeticText
}

/** `<(…)` and `>(…)`. */
export interface ProcessSubstitution extends Base {
  readonly _tag: "ProcessSubstitution"
  readonly direction: "<" | ">"
  readonly script: Script
}

/** `~` and `~user` where they are expanded: at the start of a word, and after `=` and `:` of an assignment. */
export interface Tilde extends Base {
  readonly _tag: "Tilde"
  /** Empty for `~`; `+` and `-` for the present and the last working directory. */
  readonly user: string
}

// ---- arithmetic

/**
 * Arithmetic as it stands in a script. Shells first expand it as a text and parse the result, so an expansion may bring
 * operators along.
 */
export interface ArithmeticText extends Base {
  readonly _tag: "ArithmeticText"
  /** The text, as within double quotes. */
  readonly parts: ReadonlyArray<WordPart>
  /**
   * The tree, each expansion being one operand ({@link ArithmeticExpanded}). It means the same as the text as long as
   * each of these expands to digits; otherwise expand `parts` and use `parseArithmetic`. `undefined`: the text is no
   * expression as it stands; expand and parse it likewise, for whether it is one is known only then. An empty text is
   * the number 0.
   */
  readonly expression: Arithmetic | undefined
}

/** An arithmetic expression. */
export type Arithmetic =
  | ArithmeticNumber
  | ArithmeticVariable
  | ArithmeticExpanded
  | ArithmeticUnary
  | ArithmeticUpdate
  | ArithmeticBinary
  | ArithmeticChoice
  | ArithmeticAssignment

/** `12`, `0x1f`, `017`, `2#101`: within 64 bits, as two's complement. */
export interface ArithmeticNumber extends Base {
  readonly _tag: "ArithmeticNumber"
  readonly value: bigint
}

/** `name` and `name[subscript]`. */
export interface ArithmeticVariable extends Base {
  readonly _tag: "ArithmeticVariable"
  readonly name: string
  readonly subscript: Subscript | undefined
}

/** An expansion where an operand is expected. The part is one of the {@link ArithmeticText}'s. */
export interface ArithmeticExpanded extends Base {
  readonly _tag: "ArithmeticExpanded"
  readonly part: WordPart
}

/** A sign, `!` or `~`. */
export interface ArithmeticUnary extends Base {
  readonly _tag: "ArithmeticUnary"
  readonly operator: "+" | "-" | "!" | "~"
  readonly operand: Arithmetic
}

/** `++x`, `x++`, `--x`, `x--`. */
export interface ArithmeticUpdate extends Base {
  readonly _tag: "ArithmeticUpdate"
  readonly operator: "++" | "--"
  readonly prefix: boolean
  readonly target: ArithmeticVariable
}

/** The operators between two operands by how tightly they bind, loosest first. Level 1 is that of `? :` and assignments. */
export const binaryOperatorLevels = [
  [","],
  [],
  ["||"],
  ["&&"],
  ["|"],
  ["^"],
  ["&"],
  ["==", "!="],
  ["<", "<=", ">", ">="],
  ["<<", ">>"],
  ["+", "-"],
  ["*", "/", "%"],
  ["**"],
] as const
/** One of {@link binaryOperatorLevels}. */
export type ArithmeticBinaryOperator = (typeof binaryOperatorLevels)[number][number]

/** An operator between two operands. `&&` and `||` leave the right one alone when the left one decides. */
export interface ArithmeticBinary extends Base {
  readonly _tag: "ArithmeticBinary"
  readonly operator: ArithmeticBinaryOperator
  readonly left: Arithmetic
  readonly right: Arithmetic
}

/** `test ? yes : no` */
export interface ArithmeticChoice extends Base {
  readonly _tag: "ArithmeticChoice"
  readonly test: Arithmetic
  readonly yes: Arithmetic
  readonly no: Arithmetic
}

/** The operators that may stand before `=`. */
export const compoundAssignmentOperators = ["*", "/", "%", "+", "-", "<<", ">>", "&", "^", "|"] as const

/** `x = 1`, `x += 1` and so on. */
export interface ArithmeticAssignment extends Base {
  readonly _tag: "ArithmeticAssignment"
  /** The operator before `=`, if any. */
  readonly operator: (typeof compoundAssignmentOperators)[number] | undefined
  readonly target: ArithmeticVariable
  readonly value: Arithmetic
}

// ---- conditions

/** The expression of `[[ … ]]`. */
export type Condition = ConditionLogical | ConditionNot | ConditionUnary | ConditionBinary | ConditionWord

/** Two or more with `&&`, or with `||`, between them. */
export interface ConditionLogical extends Base {
  readonly _tag: "ConditionLogical"
  readonly operator: "&&" | "||"
  readonly operands: ReadonlyArray<Condition>
}

/** `! …` */
export interface ConditionNot extends Base {
  readonly _tag: "ConditionNot"
  readonly operand: Condition
}

/** `-f file` and its like: `operator` with its dash. */
export interface ConditionUnary extends Base {
  readonly _tag: "ConditionUnary"
  readonly operator: string
  readonly operand: Word
}

/** The operators of {@link ConditionBinary} that are words. `=` is given as `==`. */
export const conditionOperators = [
  "==",
  "!=",
  "=~",
  "-eq",
  "-ne",
  "-lt",
  "-le",
  "-gt",
  "-ge",
  "-nt",
  "-ot",
  "-ef",
] as const
/** An operator of {@link ConditionBinary}. */
export type ConditionOperator = (typeof conditionOperators)[number] | "<" | ">"

/**
 * `left operator right`. The right side of `==` and `!=` is a {@link Pattern}, that of `=~` a regular expression whose
 * quoted parts stand for themselves; both sides of `-eq` and its like are arithmetic.
 */
export interface ConditionBinary extends Base {
  readonly _tag: "ConditionBinary"
  readonly operator: ConditionOperator
  readonly left: Word
  readonly right: Word
}

/** A word alone: true when it is not empty. */
export interface ConditionWord extends Base {
  readonly _tag: "ConditionWord"
  readonly word: Word
}

// ---- all of them

/** Any node. */
export type Node =
  | Script
  | List
  | AndOr
  | Pipeline
  | Command
  | IfBranch
  | CaseClause
  | Assignment
  | ArrayLiteral
  | ArrayElement
  | Subscript
  | Redirect
  | Word
  | WordPart
  | ParameterOperation
  | ArithmeticText
  | Arithmetic
  | Condition
