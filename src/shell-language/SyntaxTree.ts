/**
 * Declares the types of a script's syntax tree, in the terms of POSIX's shell command language and bash's extensions.
 * Nothing is expanded, and quotes are kept. Parts that depend on a run stay text: arithmetic with expansions ({@link
 * ArithmeticText}) and braces ({@link Word}). More than 300 lines, as its types refer to each other throughout. Source:
 * POSIX.1-2024, XCU chapter 2 "Shell Command Language"; bash(1).
 */

/** A range of the script in UTF-16 units, `end` exclusive; for text within backquotes too, a range of the whole script. */
export interface Span {
  readonly start: number
  readonly end: number
}

interface Tagged<Tag extends string> {
  readonly _tag: Tag
  readonly span: Span
}

// ---- lists

export interface Script extends Tagged<"Script"> {
  readonly statements: ReadonlyArray<AndOr>
}

/** The statements of a compound command: never empty, except in a `case` clause. */
export interface List extends Tagged<"List"> {
  readonly statements: ReadonlyArray<AndOr>
}

/** Pipelines with `&&` and `||` between them, which bind equally and from the left. */
export interface AndOr extends Tagged<"AndOr"> {
  readonly pipelines: ReadonlyArray<Pipeline>
  /** `operators[i]` stands before `pipelines[i + 1]`. */
  readonly operators: ReadonlyArray<"&&" | "||">
  readonly background: boolean
}

/** Commands with `|` between them. */
export interface Pipeline extends Tagged<"Pipeline"> {
  /** Whether an odd number of `!` precedes it. */
  readonly negated: boolean
  /** `time`, or `time -p`. */
  readonly time: "default" | "posix" | undefined
  /** Empty only after a `!` or `time` that stands alone. */
  readonly commands: ReadonlyArray<Command>
  /** `pipes[i]` stands after `commands[i]`. `|&` also connects the standard error. */
  readonly pipes: ReadonlyArray<"|" | "|&">
}

// ---- commands

export type Command = SimpleCommand | CompoundCommand | FunctionDefinition | Coprocess

/** A command with a body or a condition of its own, followed by redirections. */
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

interface Redirectable<Tag extends string> extends Tagged<Tag> {
  /** In the order in which they were written. */
  readonly redirects: ReadonlyArray<Redirect>
}

/** `A=1 name argument >file`. At least one of the three lists is not empty. */
export interface SimpleCommand extends Redirectable<"SimpleCommand"> {
  readonly assignments: ReadonlyArray<Assignment>
  readonly words: ReadonlyArray<Word>
}

/** `( … )` */
export interface Subshell extends Redirectable<"Subshell"> {
  readonly body: List
}

/** `{ …; }` */
export interface Group extends Redirectable<"Group"> {
  readonly body: List
}

/** `if …; then …; elif …; then …; else …; fi` */
export interface If extends Redirectable<"If"> {
  /** The `if` and each `elif`. */
  readonly branches: ReadonlyArray<IfBranch>
  readonly otherwise: List | undefined
}

export interface IfBranch extends Tagged<"IfBranch"> {
  readonly condition: List
  readonly body: List
}

/** `while …; do …; done`, and `until`. */
export interface While extends Redirectable<"While"> {
  readonly until: boolean
  readonly condition: List
  readonly body: List
}

interface WordLoop<Tag extends string> extends Redirectable<Tag> {
  readonly name: string
  /** `undefined` without `in`: the loop is over the positional parameters. */
  readonly words: ReadonlyArray<Word> | undefined
  readonly body: List
}

/** `for name in word …; do …; done` */
export type For = WordLoop<"For">

/** `select name in word …; do …; done` */
export type Select = WordLoop<"Select">

/** `for ((first; condition; after)); do …; done`. A missing clause is `undefined`; a missing condition is true. */
export interface ForArithmetic extends Redirectable<"ForArithmetic"> {
  readonly first: ArithmeticText | undefined
  readonly condition: ArithmeticText | undefined
  readonly after: ArithmeticText | undefined
  readonly body: List
}

/** `case word in pattern | pattern) …;; esac` */
export interface Case extends Redirectable<"Case"> {
  readonly word: Word
  readonly clauses: ReadonlyArray<CaseClause>
}

export interface CaseClause extends Tagged<"CaseClause"> {
  readonly patterns: ReadonlyArray<Pattern>
  readonly body: List
  /** `;;` also for a last clause without a terminator. */
  readonly terminator: ";;" | ";&" | ";;&"
}

/** `name() body`, `function name body`, `function name() body`. Redirections belong to the body. */
export interface FunctionDefinition extends Tagged<"FunctionDefinition"> {
  readonly name: string
  readonly body: CompoundCommand
}

/** `coproc name body`, `coproc command`; parsed only with `ParseOptions.coprocesses`. */
export interface Coprocess extends Tagged<"Coprocess"> {
  /** `COPROC` unless given. */
  readonly name: string
  readonly body: SimpleCommand | CompoundCommand
}

/** `[[ … ]]` */
export interface Conditional extends Redirectable<"Conditional"> {
  readonly expression: Condition
}

/** `(( … ))` */
export interface ArithmeticCommand extends Redirectable<"ArithmeticCommand"> {
  readonly text: ArithmeticText
}

// ---- assignments

/** `name=value`, `name+=value`, `name[subscript]=value`, `name=(…)`. */
export interface Assignment extends Tagged<"Assignment"> {
  readonly name: string
  readonly subscript: Subscript | undefined
  readonly append: boolean
  /** A word that is neither split nor expanded to pathnames. `a=` has a word without parts. */
  readonly value: Word | ArrayLiteral
}

/** `(a b [3]=c)` */
export interface ArrayLiteral extends Tagged<"ArrayLiteral"> {
  readonly elements: ReadonlyArray<ArrayElement>
}

/** One word of an array literal; without a subscript it is split and expanded to pathnames. */
export interface ArrayElement extends Tagged<"ArrayElement"> {
  readonly subscript: Subscript | undefined
  readonly append: boolean
  readonly value: Word
}

/** `[…]` after a name. */
export type Subscript = AllElements | Index

/** `[@]` or `[*]`. */
export interface AllElements extends Tagged<"AllElements"> {
  readonly mark: "@" | "*"
}

/** Any other subscript: `text` counts for an indexed array, `word` for an associative one. */
export interface Index extends Tagged<"Index"> {
  readonly word: Word
  /** The word as arithmetic, with the same parts. */
  readonly text: ArithmeticText
}

// ---- redirections

export type Redirect = FileRedirect | HereDocument

/** The descriptor that a redirection is about. */
interface Descriptor<Tag extends string> extends Tagged<Tag> {
  /** The number before the operator; `undefined`: 0 for those with `<` first, 1 for those with `>`, 1 and 2 for `&>`. */
  readonly fd: number | undefined
  /** `name` of `{name}>file`: a free descriptor is used and its number assigned to the variable. */
  readonly variable: string | undefined
}

export const redirectOperators = ["<", ">", ">>", ">|", "<>", "<&", ">&", "&>", "&>>", "<<<"] as const
export type RedirectOperator = (typeof redirectOperators)[number]

/** A redirection with a word: a file, a descriptor (`>&2`, `<&-`, `>&3-`) or the text of a here-string. */
export interface FileRedirect extends Descriptor<"FileRedirect"> {
  readonly operator: RedirectOperator
  readonly target: Word
}

/** `<<word` and `<<-word`. */
export interface HereDocument extends Descriptor<"HereDocument"> {
  readonly operator: "<<" | "<<-"
  readonly delimiter: string
  /** Whether any of the delimiter was quoted; the body is then one literal part, unchanged. */
  readonly quoted: boolean
  /** Parsed as within double quotes, with `"` as a plain character and without the leading tabs that `<<-` ignores. */
  readonly body: Word
  /** `false` if the script ends before the delimiter: shells warn and continue. */
  readonly closed: boolean
}

// ---- words

/** A word: adjoining parts. `''` is a word with one part. */
export interface Word extends Tagged<"Word"> {
  readonly parts: ReadonlyArray<WordPart>
  /** Whether it may hold a brace expression, which `expandBraces` expands before anything else. */
  readonly braces: boolean
  /**
   * Set for an assignment among the arguments of `declare`, `export`, `local`, `readonly`, `typeset`, `eval`, `let` and
   * `alias`. The parts are those of a plain word: `name=` unchanged, and the value.
   */
  readonly assignment?: Assignment | undefined
}

/** A word whose unquoted `*`, `?`, `[…]` and `@(…)` match text; so do those in unquoted expansions. */
export type Pattern = Word

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

/** Unquoted text, in which pattern characters are active. Line continuations are removed. */
export interface Literal extends Tagged<"Literal"> {
  readonly value: string
}

/** `\x`: one quoted character. */
export interface Escaped extends Tagged<"Escaped"> {
  readonly value: string
}

/** `'…'`, and `$'…'` with its escapes decoded. */
export interface SingleQuoted extends Tagged<"SingleQuoted"> {
  readonly value: string
  readonly ansi: boolean
}

/** `"…"` and `$"…"`. Literals within count as quoted. */
export interface DoubleQuoted extends Tagged<"DoubleQuoted"> {
  readonly parts: ReadonlyArray<WordPart>
  readonly localized: boolean
}

/** `$name`, `${…}`. */
export interface Parameter extends Tagged<"Parameter"> {
  /** A name, a number, or one of `@ * # ? - $ !`. */
  readonly name: string
  readonly subscript: Subscript | undefined
  /** `${!name…}`: the value is the name of another parameter. */
  readonly indirect: boolean
  readonly operation: ParameterOperation | undefined
}

/** `${…}` in no known form, such as `${x!}` or zsh's `${(f)x}`: an error when it is expanded. Its parts may hold commands. */
export interface BadSubstitution extends Tagged<"BadSubstitution"> {
  readonly parts: ReadonlyArray<WordPart>
}

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
export type ParameterLength = Tagged<"ParameterLength">

/** `${!prefix*}` and `${!prefix@}`: the names of variables that begin with the prefix. */
export interface ParameterNames extends Tagged<"ParameterNames"> {
  readonly mark: "@" | "*"
}

/** `${!name[@]}`: the keys of an array. */
export interface ParameterKeys extends Tagged<"ParameterKeys"> {
  readonly mark: "@" | "*"
}

/** `${name-word}`, `=`, `?` and `+`. */
export interface ParameterFallback extends Tagged<"ParameterFallback"> {
  /**
   * `-` uses the word if the parameter is unset, `=` also assigns it, `?` fails with it; `+` uses the word if the
   * parameter is set.
   */
  readonly operator: "-" | "=" | "?" | "+"
  /** With a colon, an empty value counts as unset. */
  readonly colon: boolean
  readonly word: Word
}

/** `${name#pattern}`, `##`, `%` and `%%`. */
export interface ParameterTrim extends Tagged<"ParameterTrim"> {
  readonly side: "prefix" | "suffix"
  readonly longest: boolean
  readonly pattern: Pattern
}

/** `${name/pattern/replacement}`, `//`, `/#` and `/%`. */
export interface ParameterReplace extends Tagged<"ParameterReplace"> {
  readonly which: "first" | "all" | "prefix" | "suffix"
  readonly pattern: Pattern
  /** `undefined` without a second slash: the match is removed. */
  readonly replacement: Word | undefined
}

/** `${name:offset}` and `${name:offset:length}`. */
export interface ParameterSlice extends Tagged<"ParameterSlice"> {
  readonly offset: ArithmeticText
  readonly length: ArithmeticText | undefined
}

/** `${name^pattern}`, `^^`, `,`, `,,`, `~` and `~~`. */
export interface ParameterCase extends Tagged<"ParameterCase"> {
  readonly to: "upper" | "lower" | "toggle"
  readonly all: boolean
  /** `undefined`: every character. */
  readonly pattern: Pattern | undefined
}

export const transformOperators = ["U", "u", "L", "Q", "E", "P", "A", "K", "a", "k"] as const
export type TransformOperator = (typeof transformOperators)[number]

/** `${name@Q}` and the other transformations. */
export interface ParameterTransform extends Tagged<"ParameterTransform"> {
  readonly operator: TransformOperator
}

/** `$(…)` and `` `…` ``. `$(<file)` holds a command that is only a redirection. */
export interface CommandSubstitution extends Tagged<"CommandSubstitution"> {
  readonly backquoted: boolean
  readonly script: Script
}

/** `$((…))` and the old form `$[…]`. */
export interface ArithmeticExpansion extends Tagged<"ArithmeticExpansion"> {
  readonly text: ArithmeticText
}

/** `<(…)` and `>(…)`. */
export interface ProcessSubstitution extends Tagged<"ProcessSubstitution"> {
  readonly direction: "<" | ">"
  readonly script: Script
}

/** `~` and `~user` where they are expanded: at the start of a word and after `=` and `:` in an assignment. */
export interface Tilde extends Tagged<"Tilde"> {
  /** Empty for `~`; `+` and `-` for the current and the previous working directory. */
  readonly user: string
}

// ---- arithmetic

/** Arithmetic in a script. Shells expand it as a text and parse the result, so an expansion may contribute operators. */
export interface ArithmeticText extends Tagged<"ArithmeticText"> {
  /** The text, as within double quotes. */
  readonly parts: ReadonlyArray<WordPart>
  /**
   * The tree, with each expansion as one operand ({@link ArithmeticExpanded}); valid if each of these expands to digits.
   * Otherwise, and if it is `undefined` because the text is not an expression before it is expanded, expand `parts` and use
   * `parseArithmetic`. An empty text is the number 0.
   */
  readonly expression: Arithmetic | undefined
}

export type Arithmetic =
  | ArithmeticNumber
  | ArithmeticVariable
  | ArithmeticExpanded
  | ArithmeticUnary
  | ArithmeticUpdate
  | ArithmeticBinary
  | ArithmeticChoice
  | ArithmeticAssignment

/** `12`, `0x1f`, `017`, `2#101`, as 64 bits in two's complement. */
export interface ArithmeticNumber extends Tagged<"ArithmeticNumber"> {
  readonly value: bigint
}

/** `name` and `name[subscript]`. */
export interface ArithmeticVariable extends Tagged<"ArithmeticVariable"> {
  readonly name: string
  readonly subscript: Subscript | undefined
}

/** An expansion in place of an operand. The part is one of the {@link ArithmeticText}'s. */
export interface ArithmeticExpanded extends Tagged<"ArithmeticExpanded"> {
  readonly part: WordPart
}

/** A sign, `!` or `~`. */
export interface ArithmeticUnary extends Tagged<"ArithmeticUnary"> {
  readonly operator: "+" | "-" | "!" | "~"
  readonly operand: Arithmetic
}

/** `++x`, `x++`, `--x`, `x--`. */
export interface ArithmeticUpdate extends Tagged<"ArithmeticUpdate"> {
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
export type ArithmeticBinaryOperator = (typeof binaryOperatorLevels)[number][number]

/** An operator between two operands. `&&` and `||` evaluate the right one only if needed. */
export interface ArithmeticBinary extends Tagged<"ArithmeticBinary"> {
  readonly operator: ArithmeticBinaryOperator
  readonly left: Arithmetic
  readonly right: Arithmetic
}

/** `test ? yes : no` */
export interface ArithmeticChoice extends Tagged<"ArithmeticChoice"> {
  readonly test: Arithmetic
  readonly yes: Arithmetic
  readonly no: Arithmetic
}

/** The operators that may stand before `=`. */
export const compoundAssignmentOperators = ["*", "/", "%", "+", "-", "<<", ">>", "&", "^", "|"] as const

/** `x = 1`, `x += 1` and the others. */
export interface ArithmeticAssignment extends Tagged<"ArithmeticAssignment"> {
  /** The operator before `=`, if any. */
  readonly operator: (typeof compoundAssignmentOperators)[number] | undefined
  readonly target: ArithmeticVariable
  readonly value: Arithmetic
}

// ---- conditions

/** The expression of `[[ … ]]`. */
export type Condition = ConditionLogical | ConditionNot | ConditionUnary | ConditionBinary | ConditionWord

/** Two or more conditions joined by `&&` or by `||`. */
export interface ConditionLogical extends Tagged<"ConditionLogical"> {
  readonly operator: "&&" | "||"
  readonly operands: ReadonlyArray<Condition>
}

/** `! …` */
export interface ConditionNot extends Tagged<"ConditionNot"> {
  readonly operand: Condition
}

/** `-f file` and the other tests of one operand. `operator` includes the dash. */
export interface ConditionUnary extends Tagged<"ConditionUnary"> {
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
export type ConditionOperator = (typeof conditionOperators)[number] | "<" | ">"

/**
 * `left operator right`. The right side of `==` and `!=` is a {@link Pattern}, that of `=~` a regular expression with its
 * quoted parts taken literally; both sides of `-eq` and the other comparisons of numbers are arithmetic.
 */
export interface ConditionBinary extends Tagged<"ConditionBinary"> {
  readonly operator: ConditionOperator
  readonly left: Word
  readonly right: Word
}

/** A word alone, which is true unless it is empty. */
export interface ConditionWord extends Tagged<"ConditionWord"> {
  readonly word: Word
}

// ---- all of them

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
