import { useIsFetching } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

/** What the sandbox can do to the next request; leave this out of your own dashboard. */
const faults = {
  'Rate limit, 15 s': { status: 429, retryAfter: 15 },
  'Service down': { status: 502, times: 3 },
  'Lost answer': { reset: 'after' },
}

export function Faults() {
  const [armed, setArmed] = useState('')
  const isFetching = useIsFetching({ queryKey: ['social-search'] }) > 0
  useEffect(() => {
    if (isFetching) setArmed('')
  }, [isFetching])

  async function inject(name: keyof typeof faults) {
    await fetch('/api/faults', { method: 'POST', body: JSON.stringify(faults[name]) })
    setArmed(name)
  }
  return (
    <footer className="faults row quiet">
      <h2>Try a failure</h2>
      {(Object.keys(faults) as (keyof typeof faults)[]).map((name) => (
        <button key={name} onClick={() => void inject(name)}>
          {name}
        </button>
      ))}
      <p role="status">
        {armed ? `Next request: ${armed}.` : 'The sandbox fails the next request the way you choose.'}
      </p>
    </footer>
  )
}
