/** Names of industries in three levels, the last one separated by commas. Real-looking, not the service's own list. */
export const taxonomy: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Accommodation and Food Services': {
    'Food and Beverage Services':
      'Restaurants, Bars and Taverns, Caterers, Mobile Food Services, Coffee Shops',
    Hospitality: 'Hotels and Motels, Bed-and-Breakfasts, Hostels, Campgrounds, Holiday Homes',
  },
  'Administrative and Support Services': {
    'Staffing Services': 'Executive Search Services, Temporary Help Services, Outplacement Services',
    'Facilities Services': 'Janitorial Services, Landscaping Services, Pest Control',
    'Security Services': 'Security Guards and Patrols, Security Systems Services, Investigation Services',
    'Events Services': 'Trade Fair Organizers, Conference Venues, Ticketing Services',
    'Office Administration': 'Telephone Call Centers, Collection Agencies, Translation and Localization',
  },
  Construction: {
    'Building Construction':
      'Residential Building Construction, Commercial Building Construction, Timber Building',
    'Civil Engineering':
      'Highway and Bridge Construction, Utility System Construction, Tunnelling, Subdivision of Land',
    'Specialty Trade Contractors':
      'Building Equipment Contractors, Finishing Contractors, Roofing, Electrical Work',
  },
  'Consumer Services': {
    'Personal Care Services': 'Hair Salons, Spas, Funeral Services',
    'Repair and Maintenance': 'Vehicle Repair, Footwear Repair, Household Appliance Repair, Bicycle Repair',
    'Civic and Social Organizations':
      'Religious Institutions, Professional Organizations, Political Organizations, Clubs',
    'Laundry Services': 'Dry Cleaning, Linen Supply, Coin Laundries',
    'Non-profit Organizations': 'Philanthropic Fundraising, Volunteer Centers, Advocacy Groups',
  },
  Education: {
    'Higher Education': 'Universities, Community Colleges, Research Institutes',
    'Primary and Secondary Education': 'Primary Schools, Secondary Schools, Boarding Schools',
    'Professional Training':
      'Language Schools, Technical and Vocational Training, Cosmetology Schools, Coaching',
    'E-Learning Providers': 'Course Marketplaces, Test Preparation, Tutoring Platforms',
  },
  'Entertainment Providers': {
    'Performing Arts': 'Theater Companies, Dance Companies, Circuses, Orchestras',
    'Spectator Sports': 'Sports Teams and Clubs, Racetracks, Esports',
    'Recreational Facilities':
      'Amusement Parks, Skiing Facilities, Golf Courses, Climbing Gyms, Fitness Centers',
    'Museums and Historical Sites': 'Art Museums, Science Museums, Zoos, Botanical Gardens',
    'Artists and Writers': 'Illustrators, Independent Authors, Sculptors',
    Music: 'Record Labels, Concert Promotion, Recording Studios',
  },
  'Farming and Forestry': {
    Farming: 'Horticulture, Grain Farming, Fruit Orchards, Greenhouse Farming, Viticulture',
    'Ranching and Fisheries': 'Cattle Ranching, Poultry, Aquaculture, Beekeeping',
    Forestry: 'Logging, Tree Nurseries, Forest Management',
  },
  'Financial Services': {
    Banking: 'Retail Banking, Savings Institutions, Central Banks, Credit Unions',
    'Capital Markets':
      'Investment Banking, Investment Management, Venture Capital, Securities Exchanges, Brokerage',
    'Credit Intermediation': 'Consumer Lending, Mortgage Lending, Loan Brokers, Microfinance',
    Insurance: 'Insurance Carriers, Insurance Agencies, Reinsurance, Claims Adjusting, Pension Funds',
    'Payments and Fintech': 'Payment Processing, Digital Wallets, Invoice Financing',
  },
  Government: {
    'Public Policy Offices': 'Legislative Offices, Executive Offices, International Trade Offices',
    'Administration of Justice': 'Courts of Law, Law Enforcement, Correctional Institutions, Fire Protection',
    'Public Assistance': 'Public Health, Housing Programs, Veterans Affairs',
    'Environmental Administration': 'Air and Water Programs, Conservation Programs, National Parks',
    Defense: 'Armed Forces, Space Agencies, International Affairs',
  },
  Holding: { 'Holding Companies': 'Family Offices, Industrial Holdings, Real Estate Holdings' },
  'Hospitals and Health Care': {
    Hospitals: 'General Hospitals, Psychiatric Hospitals, Children Hospitals',
    'Medical Practices': 'Dentists, Optometrists, Physical Therapists, Family Doctors, Outpatient Surgery',
    'Individual and Family Services':
      'Child Day Care, Elder Care, Emergency Relief, Vocational Rehabilitation',
    'Mental Health Care': 'Counselling Services, Addiction Treatment, Crisis Lines',
    'Home Health Care': 'Nursing at Home, Hospices, Medical Alarm Services',
    'Veterinary Services': 'Animal Hospitals, Livestock Veterinarians, Pet Insurance Services',
  },
  Manufacturing: {
    'Appliances and Electronics':
      'Household Appliances, Audio and Video Equipment, Lighting Equipment, Batteries',
    'Chemical Manufacturing':
      'Pharmaceuticals, Paints and Coatings, Fertilizers, Soaps and Cleaning Products',
    'Computers and Semiconductors':
      'Computer Hardware, Semiconductors, Measuring Instruments, Printed Circuit Boards',
    'Food and Beverage Manufacturing':
      'Breweries, Bakeries, Dairy Products, Coffee Roasting, Distilleries, Wineries',
    'Furniture and Home Furnishings': 'Office Furniture, Mattresses, Blinds and Shades, Kitchen Cabinets',
    'Glass and Ceramics': 'Glass Products, Pottery, Cement, Bricks and Tiles',
    'Machinery Manufacturing':
      'Agricultural Machinery, Industrial Machinery, Metalworking Machinery, Robotics, Engines',
    'Medical Equipment': 'Surgical Instruments, Hearing Aids, Dental Equipment, Prosthetics',
    'Metals and Plastics':
      'Steel Works, Fabricated Metal, Plastics Products, Rubber Products, Packaging and Containers',
    'Paper and Print': 'Paper Mills, Printing Services, Bookbinding',
    'Sporting Goods and Toys': 'Sporting Goods, Toys and Games, Musical Instruments, Office Supplies',
    'Textiles and Apparel': 'Apparel, Footwear, Leather Goods, Knitting Mills, Technical Textiles',
    'Vehicles and Aircraft':
      'Motor Vehicles, Motor Vehicle Parts, Shipbuilding, Railroad Equipment, Aircraft, Bicycles',
  },
  'Oil Gas and Mining': {
    Mining: 'Coal Mining, Metal Ore Mining, Quarries, Lithium Extraction',
    'Oil and Gas': 'Oil Extraction, Natural Gas Extraction, Drilling Services',
  },
  'Professional Services': {
    Accounting: 'Audit Services, Tax Preparation, Bookkeeping, Payroll Services',
    'Advertising and Marketing':
      'Advertising Agencies, Public Relations, Market Research, Content Marketing, Events Marketing',
    'Architecture and Planning':
      'Architects, Interior Design, Landscape Architecture, Urban Planning, Surveying',
    'Business Consulting':
      'Strategy Consulting, Human Resources Consulting, Operations Consulting, Sustainability Consulting',
    'Design Services': 'Graphic Design, Product Design, Photography, Fashion Design',
    'Engineering Services': 'Structural Engineering, Acoustics, Testing Laboratories, Robotics Engineering',
    'IT Services and Consulting':
      'Custom Software Development, Systems Design, Data Security Consulting, Managed Hosting',
    'Legal Services': 'Law Firms, Notaries, Patent Attorneys, Alternative Dispute Resolution',
    'Research Services': 'Biotechnology Research, Nanotechnology Research, Think Tanks, Space Research',
  },
  'Real Estate and Rental': {
    'Real Estate':
      'Residential Leasing, Commercial Leasing, Property Management, Real Estate Agents, Coworking Spaces',
    'Equipment Rental': 'Vehicle Rental, Machinery Rental, Consumer Goods Rental, Party Equipment',
  },
  Retail: {
    'Food Retail': 'Groceries, Bakeries and Confectioners, Health Food Stores, Wine Merchants',
    'Apparel Retail': 'Fashion Boutiques, Shoe Stores, Luxury Goods and Jewelry, Second-hand Clothing',
    'Home and Garden Retail': 'Furniture Stores, Hardware Stores, Garden Centers, Kitchenware',
    'Leisure Retail': 'Bookstores, Record Stores, Art Supplies, Outdoor Equipment, Florists',
    'Online Retail': 'Online Marketplaces, Mail Order, Subscription Boxes',
    'Motor Vehicle Retail': 'Car Dealers, Motorcycle Dealers, Gas Stations, Tire Dealers',
    Pharmacies: 'Retail Pharmacies, Opticians, Medical Supplies Stores',
  },
  'Technology and Media': {
    'Software Development':
      'Developer Tools, Business Software, Embedded Software, Mobile Apps, Computer Games, Desktop Software',
    'Data Infrastructure': 'Cloud Hosting, Data Warehousing, Databases, Search Engines, Analytics Platforms',
    'Artificial Intelligence':
      'Machine Learning Platforms, Speech Technology, Computer Vision, Language Models',
    'Computer Security': 'Network Security, Identity Management, Fraud Detection',
    'Book and Periodical Publishing': 'Book Publishing, Newspaper Publishing, Magazines, Academic Journals',
    'Broadcast Media': 'Radio Broadcasting, Television Broadcasting, Podcasting, News Agencies',
    'Film and Video': 'Film Production, Animation and Post-production, Film Distribution, Cinemas',
    'Internet Media': 'Social Networking Platforms, Blogs, Online Communities, Video Streaming',
    Telecommunications:
      'Wireless Services, Satellite Communications, Broadband Providers, Telecommunications Carriers',
  },
  'Transportation and Logistics': {
    'Passenger Transport': 'Airlines, Rail Passenger Services, Taxis, Ferries, Bus Lines, Bicycle Sharing',
    'Freight Transport': 'Trucking, Maritime Transport, Rail Freight, Air Cargo, Pipelines',
    'Warehousing and Storage': 'Cold Storage, Self Storage, Order Fulfilment',
    'Postal and Courier Services': 'Postal Services, Express Delivery, Local Messengers, Cargo Bikes',
    'Travel Arrangements': 'Travel Agencies, Tour Operators, Sightseeing Transport',
  },
  Utilities: {
    'Electric Power':
      'Solar Power, Wind Power, Hydroelectric Power, Nuclear Power, Power Grids, Geothermal Power',
    'Water and Waste': 'Water Supply, Sewage Treatment, Recycling, Waste Collection, Remediation',
    'Gas and Heat': 'Natural Gas Distribution, District Heating, Heat Pumps',
  },
  Wholesale: {
    'Wholesale of Goods':
      'Wholesale Food, Wholesale Drinks, Wholesale Apparel, Wholesale Paper, Wholesale Flowers',
    'Wholesale of Equipment':
      'Wholesale Computers, Wholesale Machinery, Wholesale Building Materials, Wholesale Metals',
    'Import and Export': 'Commodity Trading, Customs Brokers, Fair Trade Importers',
  },
}
