import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import type { ProfessionalnetCompany as Profile, Wait } from 'social-search-sdk'
import { searchOptions } from 'social-search-sdk/query'
import { go, useAddress } from './address.ts'
import { client, prices, queryClient, stored } from './api.ts'
import { credits, useShortage } from './Credits.tsx'
import { isMiss } from './load.ts'
import { Empty, Failure, Loading, Waiting } from './status.tsx'

/** Where the sandbox has its companies. */
const pageOf = (name: string) =>
  `https://professionalnet.example/company/${name
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\d]+/gu, '-')}`
const id = 'professionalnet.company.get'

export function Company() {
  const { company: url = '', q, vs } = useAddress()
  const ideas = [q, vs].filter((name) => name !== undefined)
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
    const options = searchOptions(client, id, { url }, { observers: [{ onWait: setWait }] })
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
          defaultValue={url}
          placeholder={pageOf('harbour-bean')}
        />
        <button className="primary" disabled={shortage !== null}>
          {shortage ? 'Too few credits' : `Look up · ${credits(price)}`}
        </button>
      </form>
      {shortage && <p role="status">{shortage}</p>}
      {url === '' && (
        <Empty title={ideas.length > 0 ? 'The companies of your search' : 'Look up a company'}>
          <p>Paste the address of its page, or take one of these. Each costs {credits(price)}.</p>
          <p className="ideas row">
            {(ideas.length > 0 ? ideas : ['Harbour Bean']).map((name) => (
              <button
                key={name}
                aria-disabled={shortage !== null}
                onClick={() => !shortage && buy(pageOf(name))}
              >
                {name} · {credits(price)}
              </button>
            ))}
          </p>
        </Empty>
      )}
      {isFetching && (wait ? <Waiting wait={wait} onCancel={cancel} /> : <Loading onCancel={cancel} />)}
      {isMissing && !isFetching && (
        <Empty title="Not loaded yet">Nobody has looked this up in the last hour. Press Look up.</Empty>
      )}
      {error && !isMissing && !isFetching && (
        <Failure error={error} onRetry={shortage ? null : { price, act: () => buy(url) }} />
      )}
      {data && <CompanyProfile company={data.company} />}
    </section>
  )
}

function CompanyProfile({ company }: { company: Profile }) {
  const {
    name,
    logoUrl,
    websiteUrl,
    employeeCountRange: range,
    headquarter,
    locations,
    specialities,
  } = company
  const placeOf = ({ city, country }: Profile['locations'][number]) =>
    [city, country].filter(Boolean).join(', ')
  const size = company.employeeCount.toLocaleString('en')
  const others = locations.filter(({ headquarter }) => !headquarter).map(placeOf)
  const facts: Record<string, ReactNode> = {
    Website: websiteUrl && <a href={websiteUrl}>{websiteUrl.replace(/^https?:\/\/|\/$/g, '')}</a>,
    Industry: company.industry,
    Employees: range ? `${size} (${range.start}${range.end ? ` to ${range.end}` : ' or more'})` : size,
    Followers: company.followerCount.toLocaleString('en'),
    Founded: company.foundedYear,
    Headquarters: headquarter && placeOf(headquarter),
    'Other places': [...new Set(others)].join(' · '),
    Specialities: specialities.join(', '),
  }
  return (
    <article className="card stack">
      <div className="row">
        {/* The letter shows until the logo is there, or if it never is. */}
        <span className="logo" aria-hidden="true">
          {name.slice(0, 1)}
          {logoUrl && (
            <img key={logoUrl} src={logoUrl} alt="" onError={(event) => event.currentTarget.remove()} />
          )}
        </span>
        <h3>{name}</h3>
      </div>
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
