//! On which days the reviews of a block come: by its shape, by weekday and season as is usual in the trade, and by chance,
//! since some weeks bring many reviews and others none.

use crate::api::dates::Day;
use crate::dataset::places::Point;
use crate::dataset::records::{ReviewPlan, Shape};
use crate::draw::Draw;

/// From how many days on a block's dates are spread evenly.
const LONGEST: u32 = 40_000;
/// How many days the worst of a review bomb lasts, and the percentage of its reviews in these days.
const BOMB: (u32, u64) = (3, 92);

/// The days of a block, so that a day can be drawn from a part of its time.
#[derive(Debug)]
pub(crate) struct Calendar {
    from: Day,
    days: u32,
    /// Running sums of the days' weights; empty where all days are alike.
    sums: Vec<u64>,
}

impl Calendar {
    /// The calendar of a block in a trade, where the clock starts on that day. The draw is that of the block.
    pub(crate) fn new(plan: &ReviewPlan, today: Day, category: &str, block: &Draw) -> Self {
        let (from, to) = plan.dates.resolve(today);
        let days = from.0.abs_diff(to.0) + 1;
        if days > LONGEST {
            return Self { from, days, sums: Vec::new() };
        }
        let trade = Trade::of(category);
        let mut sum = 0;
        let weight = |offset: u32| {
            let day = Day(from.0.saturating_add_unsigned(offset));
            let week = block.with(u64::from(day.0.unsigned_abs() / 7)).below(90) + 55;
            let chance = block.with(1 << 40 | u64::from(offset)).below(130) + 35;
            let usual = trade.weight(day) * week * chance;
            match plan.shape {
                Shape::Steady => usual,
                Shape::Ramp => usual * u64::from(offset + 1 + days / 12),
                Shape::Spike => usual * decayed(offset, days),
                Shape::Bomb => bombed(offset, days) * chance,
            }
        };
        let sums = (0..days).map(|offset| {
            sum += weight(offset).max(1);
            sum
        });
        Self { from, days, sums: sums.collect() }
    }

    /// The day at a part of the block's time.
    pub(crate) fn day(&self, point: Point) -> Day {
        let part = u128::from(point.0);
        let offset = match self.sums.last() {
            Some(all) => self.sums.partition_point(|sum| u128::from(*sum) << 32 <= part * u128::from(*all)),
            None => usize::try_from((part * u128::from(self.days)) >> 32).unwrap_or_default(),
        };
        Day(self.from.0.saturating_add_unsigned(u32::try_from(offset).unwrap_or_default()))
    }
}

/// A burst on the first days that halves with every tenth of the time, in parts of 4,096.
fn decayed(offset: u32, days: u32) -> u64 {
    4_096 >> (offset * 10 / days.max(10)).min(10)
}

/// Most of the weight on the first days, the rest evenly on the days after them.
fn bombed(offset: u32, days: u32) -> u64 {
    let (worst, share) = BOMB;
    let rest = u64::from(days.saturating_sub(worst)).max(1);
    if offset < worst {
        share * rest * [1_000, 1_400, 600][offset as usize % 3] / 3_000
    } else {
        (100 - share).max(1)
    }
}

/// When the customers of a trade come, in percent of a usual day.
#[derive(Debug)]
struct Trade {
    /// Monday to Sunday.
    weekdays: [u64; 7],
    /// January to December.
    months: [u64; 12],
    /// Christmas Eve to the second day of Christmas, and New Year's Day.
    holidays: u64,
}

const EVEN: [u64; 12] = [100; 12];

impl Trade {
    const fn of(category: &str) -> &'static Self {
        const OFFICE: Trade =
            Trade { weekdays: [105, 110, 110, 105, 95, 40, 10], months: EVEN, holidays: 50 };
        const HOTEL: Trade = Trade {
            weekdays: [110, 100, 95, 95, 95, 95, 110],
            months: [70, 75, 85, 95, 105, 120, 140, 145, 115, 100, 75, 85],
            holidays: 100,
        };
        const RESTAURANT: Trade = Trade {
            weekdays: [80, 80, 85, 95, 120, 150, 130],
            months: [85, 95, 100, 100, 105, 105, 105, 105, 100, 100, 100, 110],
            holidays: 60,
        };
        const RETAIL: Trade = Trade {
            weekdays: [90, 90, 90, 95, 110, 140, 70],
            months: [80, 80, 90, 95, 100, 100, 95, 95, 95, 100, 125, 150],
            holidays: 60,
        };
        const GARAGE: Trade = Trade {
            weekdays: [110, 105, 105, 105, 105, 70, 15],
            months: [90, 95, 105, 110, 105, 100, 95, 95, 95, 110, 115, 95],
            holidays: 40,
        };
        const OTHER: Trade =
            Trade { weekdays: [105, 100, 100, 100, 105, 95, 75], months: EVEN, holidays: 60 };
        match category.as_bytes() {
            b"dentist" | b"health" | b"veterinarian" => &OFFICE,
            b"hotel" => &HOTEL,
            b"restaurant" => &RESTAURANT,
            b"automotive" | b"home-services" => &GARAGE,
            b"retail" => &RETAIL,
            _ => &OTHER,
        }
    }

    fn weight(&self, day: Day) -> u64 {
        let (month, date) = day.month_and_date();
        // 1 January 1970 was a Thursday.
        let weekday = day.0.saturating_add(3).rem_euclid(7).unsigned_abs() as usize;
        let holiday = matches!((month, date), (12, 24..=26) | (1, 1));
        let season = self.months[(usize::from(month.unsigned_abs()) + 11) % 12];
        self.weekdays[weekday] * season * if holiday { self.holidays } else { 100 } / 10_000
    }
}
