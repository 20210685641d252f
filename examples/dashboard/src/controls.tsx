import type { ReactNode } from 'react'

/** Whether a key that is pressed belongs to a field. */
export const isTyping = ({ target }: Event) =>
  target instanceof Element && target.closest('select, textarea, input:not([type=checkbox])') !== null

interface ChoiceProps<Value> {
  label: string
  options: readonly Value[]
  value: Value | undefined
  nameOf?: (value: Value) => ReactNode
  onChange: (value: Value) => void
}

/** A few buttons, one of which is pressed. */
export const Choice = <Value extends string | number>(props: ChoiceProps<Value>) => (
  <div className="choice quiet" role="group" aria-label={props.label}>
    {props.options.map((each) => (
      <button
        key={each}
        type="button"
        aria-pressed={each === props.value}
        onClick={() => props.onChange(each)}
      >
        {props.nameOf?.(each) ?? each}
      </button>
    ))}
  </div>
)

export type Option = readonly [value: string, text: string]

interface SelectProps {
  label: string
  value: string
  options: Option[]
  onChange: (value: string) => void
}

export const Select = ({ label, value, options, onChange }: SelectProps) => (
  <select aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
    {options.map(([value, text]) => (
      <option key={value} value={value}>
        {text}
      </option>
    ))}
  </select>
)
