import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import type { ProfessionalnetCompany as Profile, Wait } from 'social-search-sdk'
import { searchOptions } from 'social-search-sdk/query'
import { go, useAddress } from './address.ts'
import { client, prices, queryClient, stored } from './api.ts'
import { credits, useShortage } from './Credits.tsx'
import { isMiss } from './load.ts'
import { Empty, Failure, Loading, Waiting } from './status.tsx'

const example = 'https://professionalnet.example/company/harbour-bean'
const id = 'professionalnet.company.get'

export function Company() {
  const { company: url = '' } = useAddress()
  const [wait, setWait] = useState<Wait | null>(null)
  // Shows what the proxy keeps; `buy` fetches the same query with the client that spends.
  const lookup = searchOptions(stored, id, { url })
  const { data, error, isFetching } = useQuery({ ...lookup, enabled: url !== '' })
  useEffect(() => {
    if (!isFetching) setWait(null)
  }, [isFetching])

  const price = prices.company
  const shortage = useShortage(price)
  const isMissing = isMiss(error)
  const cancel = () => void queryClient.cancelQueries({ queryKey: lookup.queryKey })
  function buy(url: string) {
    const options = searchOptions(client, id, { url }, { onWait: setWait })
    queryClient.fetchQuery({ ...options, staleTime: 0 }).catch(() => {}) // shown as `error`
    go({ company: url })
  }
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    buy(String(new FormData(event.currentTarget).get('url')).trim())
  }
  return (
    <section className="company stack" aria-labelledby="company-title">
      <h2 id="company-title" tabIndex={-1}>
        Company
      </h2>
      <form className="row" onSubmit={submit}>
        <input
          key={url}
          name="url"
          type="url"
          required
          aria-label="URL of the company's page"
          defaultValue={url || example}
        />
        <button className="primary" disabled={shortage !== null}>
          {shortage ? 'Too few credits' : `Look up · ${credits(price)}`}
        </button>
      </form>
      {shortage && <p role="status">{shortage}</p>}
      {isFetching && (wait ? <Waiting wait={wait} onCancel={cancel} /> : <Loading onCancel={cancel} />)}
      {isMissing && !isFetching && (
        <Empty title="Not bought yet">The profile is not kept, or no longer. Look it up to buy it.</Empty>
      )}
      {error && !isMissing && !isFetching && (
        <Failure error={error} onRetry={shortage ? null : { price, act: () => buy(url) }} />
      )}
      {data && <CompanyProfile company={data.company} />}
    </section>
  )
}

function CompanyProfile({ company }: { company: Profile }) {
  const { headquarter, foundedYear, employeeCount, followerCount } = company
  const facts = {
    Industry: company.industry,
    Employees: employeeCount.toLocaleString('en'),
    Followers: followerCount.toLocaleString('en'),
    Founded: foundedYear,
    Headquarters: [headquarter?.city, headquarter?.country].filter(Boolean).join(', '),
  }
  return (
    <article className="card stack">
      <h3>{company.name}</h3>
      <p className="quiet">{company.tagline ?? company.description}</p>
      <dl className="facts">
        {Object.entries(facts).map(([name, value]) => (
          <div key={name} className="row">
            <dt className="quiet">{name}</dt>
            <dd className="end">{value || '–'}</dd>
          </div>
        ))}
      </dl>
    </article>
  )
}
